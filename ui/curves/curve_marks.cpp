#include "ui/curves/curve_marks.h"

#include "ui/document/document.h"
#include "ui/document/note_book.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/colours.h"
#include "ui/kit/theme.h"

#include <algorithm>

namespace nestwright::ui {
namespace {

/// Records are stored in the order of their trials, so this is quick; null when it is not there.
const TrialPoint* trialOf(const TaskHistory& task, RowId record) {
  const auto at = std::ranges::lower_bound(task.trials, record, {}, &TrialPoint::record);
  return at != task.trials.end() && at->record == record ? &*at : nullptr;
}

} // namespace

CurveMarks::CurveMarks(QCustomPlot& plot, Document& document)
    : plot_(plot), document_(document), ring_(plot.addGraph()), notes_(plot, false) {
  ring_->setLineStyle(QCPGraph::lsNone);
}

void CurveMarks::restyle() {
  notes_.restyle();
  const double side = 12 * Theme::instance().zoom();
  ring_->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(colours().accent, 2.6), Qt::NoBrush, side));
}

std::optional<QPointF> CurveMarks::placeOf(RowId task, RowId record,
                                           const CurveOptions& options) const {
  const TaskHistory* history = document_.session().history().find(task);
  const TrialPoint* trial = history != nullptr ? trialOf(*history, record) : nullptr;
  if (trial == nullptr) return std::nullopt;
  const double x =
      options.x == XAxis::Trials ? static_cast<double>(trial->trial) : trial->wallSeconds;
  // What failed has no height; it is marked along the bottom, as its cross is.
  if (trial->verdict != Verdict::Ok)
    return QPointF(x, plot_.yAxis->pixelToCoord(plot_.axisRect()->bottom()));
  return QPointF(x, yValue(trial->seconds, history->flops, history->naiveSeconds, options));
}

std::optional<QPointF> CurveMarks::ringPixel() const {
  if (!isRinged()) return std::nullopt;
  return ring_->coordsToPixels(ring_->dataMainKey(0), ring_->dataMainValue(0));
}

void CurveMarks::refresh(const CurveOptions& options) {
  const Selection& selected = document_.selection().current();
  const auto inSight = [&](RowId task) {
    return task == selected.task || (selected.task == 0 && options.showTasks);
  };
  ring_->data()->clear();
  if (const auto place = placeOf(selected.task, selected.record, options))
    ring_->addData(place->x(), place->y());
  notes_.clear();
  for (const auto& [key, note] : document_.notes().all()) {
    if (key.about == NoteAbout::Record && inSight(note.task)) {
      if (const auto place = placeOf(note.task, key.id, options))
        notes_.add(note, place->x(), place->y());
    } else if (key.about == NoteAbout::Task && key.id != selected.task && inSight(key.id)) {
      // Where its line ends; the selected one has it in its label.
      const TaskHistory* task = document_.session().history().find(key.id);
      if (task == nullptr || task->bests.empty()) continue;
      const Curve curve = bestCurve(document_.session().history(), *task, options);
      if (!curve.empty()) notes_.add(note, curve.x.back(), curve.y.back());
    }
  }
  notes_.done();
}

} // namespace nestwright::ui
