#include "ui/curves/curve_names.h"

#include "ui/charts/curve_axes.h"
#include "ui/charts/plot_style.h"
#include "ui/curves/curve_focus.h"
#include "ui/document/document.h"
#include "ui/document/note_book.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/colours.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {

CurveNames::CurveNames(QCustomPlot& plot, PlotLabels& labels, Document& document)
    : plot_(plot), labels_(labels),
      document_(document), naiveTotal_{new QCPItemStraightLine(&plot), new QCPItemText(&plot)},
      naiveTask_{new QCPItemStraightLine(&plot), new QCPItemText(&plot)},
      total_(new QCPItemText(&plot)), task_(new QCPItemText(&plot)) {
  for (QCPItemText* label : {total_, task_, naiveTotal_.label, naiveTask_.label}) {
    label->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
    label->setPadding(QMargins(0, 0, 2, 2));
  }
}

void CurveNames::restyle() {
  const Colours& c = colours();
  for (QCPItemText* label : {total_, task_, naiveTotal_.label, naiveTask_.label})
    styleText(*label);
  task_->setBrush(faded(c.base, 150));
  total_->setColor(c.text);
  naiveTotal_.line->setPen(QPen(c.dim, 1, Qt::DashLine));
}

void CurveNames::refresh(const CurveOptions& options, const CurveLines& lines,
                         const CurveFocus& focus) {
  const RowId selected = document_.selection().current().task;
  const TaskEntry* entry = document_.session().task(selected);
  const auto text = [&](const QCPGraph* line, RowId task, const QString& name) {
    if (!line || line->data()->isEmpty()) return QString();
    const double last = (line->data()->constEnd() - 1)->value;
    QString all = QStringLiteral("%1  %2").arg(name, yText(last, options.y));
    if (task == focus.task() && !focus.since().isEmpty())
      all += QStringLiteral(" · ") + focus.since();
    return all;
  };
  const bool tuned = !lines.total()->data()->isEmpty();
  const QCPGraph* total = tuned ? lines.total() : lines.untuned();
  writeAtEnd(total_, total, text(total, 0, tuned ? tr("total") : tr("total, naive where untuned")));
  const QCPGraph* task = entry ? lines.of(selected) : nullptr;
  writeAtEnd(task_, task,
             entry ? text(task, selected,
                          noteSign(document_.notes().note({NoteAbout::Task, entry->row.id})) +
                              taskTitle(entry->row.name))
                   : QString());
  if (entry) {
    const QColor colour = colours().task(entry->rank);
    task_->setColor(colour);
    naiveTask_.line->setPen(QPen(faded(colour, 170), 1, Qt::DotLine));
  }
  refreshReferences(options);
}

QString CurveNames::textOf(const CurveFocus& focus) const {
  const QCPItemText* label = focus.task() == 0 ? total_ : task_;
  return label->visible() ? label->text() : QString();
}

void CurveNames::writeAtEnd(QCPItemText* label, const QCPGraph* line, const QString& text) {
  const bool shown = line && line->visible() && !text.isEmpty();
  label->setVisible(shown);
  if (!shown) return;
  label->setText(text);
  placeAtEnd(label, *line);
}

/// Above all of the line that lies beside the label, so that it is not struck through; where the
/// line comes from far up, below its end.
void CurveNames::placeAtEnd(QCPItemText* label, const QCPGraph& line) {
  constexpr double kMostHeights = 2.5;
  const auto last = line.data()->constEnd() - 1;
  const double right = std::min(last->key, plot_.xAxis->range().upper);
  const QRectF box = PlotLabels::rectOf(*label);
  const double left = plot_.xAxis->pixelToCoord(plot_.xAxis->coordToPixel(right) - box.width());
  const double end = plot_.yAxis->coordToPixel(last->value);
  double top = end;
  for (auto point = line.data()->findBegin(left); point != line.data()->constEnd(); ++point)
    if (std::isfinite(point->value)) top = std::min(top, plot_.yAxis->coordToPixel(point->value));
  const bool above = end - top <= kMostHeights * box.height();
  label->setPositionAlignment(Qt::AlignRight | (above ? Qt::AlignBottom : Qt::AlignTop));
  labels_.place(label, right, above ? plot_.yAxis->pixelToCoord(top) : last->value);
}

/// Beyond the range it is a caption at the edge that it lies behind.
void CurveNames::refer(const Reference& to, double y, const QString& text,
                       const CurveOptions& options) {
  const bool shown = options.showReferences && std::isfinite(y) && y > 0;
  to.line->setVisible(shown);
  to.line->point1->setCoords(0, y);
  to.line->point2->setCoords(1, y);
  to.label->setVisible(shown);
  const QCPRange& range = plot_.yAxis->range();
  const bool above = y > range.upper, below = y < range.lower;
  const double edge = 0.001 * range.size(); // on it, it would be out of sight
  labels_.place(to.label, plot_.xAxis->range().upper,
                std::clamp(y, range.lower + edge, range.upper - edge));
  to.label->setText(above ? tr("↑ %1").arg(text) : below ? tr("↓ %1").arg(text) : text);
}

void CurveNames::refreshReferences(const CurveOptions& options) {
  const TuningHistory& history = document_.session().history();
  const double naive = history.naiveTotal();
  const double naiveY = yValue(naive, history.totalFlops(), naive, options);
  refer(naiveTotal_, naiveY,
        options.y == YAxis::SpeedUp ? tr("naive")
                                    : tr("naive total  %1").arg(yText(naiveY, options.y)),
        options);
  const TaskHistory* task = history.find(document_.selection().current().task);
  double taskY = kUnknown;
  if (task && task->naiveSeconds > 0)
    taskY = yValue(task->naiveSeconds, task->flops, task->naiveSeconds, options);
  if (taskY == naiveY) taskY = kUnknown; // one line says both
  refer(naiveTask_, taskY, tr("naive of this task  %1").arg(yText(taskY, options.y)), options);
}

} // namespace nestwright::ui
