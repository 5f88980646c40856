#include "ui/curves/curve_lines.h"

#include "ui/charts/curve_axes.h"
#include "ui/charts/plot_style.h"
#include "ui/document/document.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <cmath>

namespace nestwright::ui {
namespace {

constexpr int kGrabPixels = 10; // how near the mouse must come

/// The value of a step line at x, or nothing before its first step.
std::optional<double> valueAt(const QCPGraph& graph, double x) {
  const auto& data = *graph.data();
  auto after = data.findEnd(x, false);
  if (after == data.constBegin()) return std::nullopt;
  return (after - 1)->value;
}

} // namespace

CurveLines::CurveLines(QCustomPlot& plot, Document& document)
    : plot_(plot), document_(document), untuned_(addLine()), total_(addLine()) {}

QCPGraph* CurveLines::addLine() {
  QCPGraph* line = plot_.addGraph();
  line->setLineStyle(QCPGraph::lsStepLeft);
  return line;
}

const QCPGraph* CurveLines::of(RowId task) const {
  const auto found = tasks_.find(task);
  return found == tasks_.end() ? nullptr : found->second;
}

void CurveLines::forEachVisible(const std::function<void(const QCPGraph& line)>& visit) const {
  for (const auto& [task, line] : tasks_)
    if (line->visible()) visit(*line);
  for (const QCPGraph* line : {total_, untuned_})
    if (line->visible()) visit(*line);
}

void CurveLines::refresh(const CurveOptions& options) {
  read(options);
  style(options);
}

void CurveLines::read(const CurveOptions& options) {
  const TuningHistory& history = document_.session().history();
  for (auto it = tasks_.begin(); it != tasks_.end();) {
    if (history.find(it->first)) {
      ++it;
    } else {
      plot_.removeGraph(it->second);
      it = tasks_.erase(it);
    }
  }
  for (const TaskHistory& task : history.tasks()) {
    const Curve curve = bestCurve(history, task, options);
    auto line = tasks_.find(task.task);
    if (line == tasks_.end()) {
      if (curve.empty()) continue; // an import may have ten thousand tasks, none with a best
      line = tasks_.emplace(task.task, addLine()).first;
    }
    line->second->setData(plotted(curve.x), plotted(curve.y), true);
  }
  const TotalCurve total = totalCurve(history, options);
  total_->setData(plotted(total.complete.x), plotted(total.complete.y), true);
  untuned_->setData(plotted(total.incomplete.x), plotted(total.incomplete.y), true);
}

void CurveLines::style(const CurveOptions& options) {
  const Colours& c = colours();
  const RowId selected = document_.selection().current().task;
  for (const auto& [task, line] : tasks_) {
    const TaskEntry* entry = document_.session().task(task);
    const QColor colour = c.task(entry ? entry->rank : -1);
    const bool focus = task == selected;
    line->setVisible(focus || options.showTasks);
    // Where one task is looked at, the others step back.
    line->setPen(QPen(faded(colour, focus ? 255 : selected ? 90 : 200), focus ? 2.4 : 1.2));
    // The chart looks for a line among all others of its layer, also when that stays the same.
    if (const auto layer = focus ? QLatin1String("main") : QLatin1String("grid");
        line->layer()->name() != layer)
      line->setLayer(layer);
  }
  // A single task of weight 1 is its own total.
  const auto& tasks = document_.session().history().tasks();
  const bool several = tasks.size() > 1 || (tasks.size() == 1 && tasks[0].weight != 1);
  for (QCPGraph* line : {total_, untuned_})
    line->setVisible(several || !selected);
  total_->setPen(QPen(c.text, 2.6));
  untuned_->setPen(QPen(c.text, 1.6, Qt::DashLine));
}

std::optional<CurveLines::Hit> CurveLines::hitAt(const QPointF& position,
                                                 const CurveOptions& options) const {
  const double x = plot_.xAxis->pixelToCoord(position.x());
  std::optional<Hit> best;
  double nearest = kGrabPixels;
  const auto consider = [&](const QCPGraph* line, RowId task, const QString& name) {
    if (!line->visible()) return;
    const std::optional<double> y = valueAt(*line, x);
    if (!y) return;
    const double distance = std::abs(plot_.yAxis->coordToPixel(*y) - position.y());
    if (distance > nearest || (best && distance >= nearest)) return;
    nearest = distance;
    best = Hit{task, {x, *y}, name};
  };
  consider(total_, 0, tr("weighted total"));
  consider(untuned_, 0, tr("weighted total, naive where untuned"));
  for (const auto& [task, line] : tasks_)
    if (const TaskEntry* entry = document_.session().task(task))
      consider(line, task, taskTitle(entry->row.name));
  if (best) best->text = describe(*best, options);
  return best;
}

/// The name, the value, and how much faster than naive that is.
QString CurveLines::describe(const Hit& hit, const CurveOptions& options) const {
  const TuningHistory& history = document_.session().history();
  const TaskHistory* task = history.find(hit.task);
  QString text =
      hit.text + QStringLiteral("\n%1 · %2")
                     .arg(xText(hit.place.x(), options.x), yText(hit.place.y(), options.y));
  if (options.y != YAxis::Latency) return text;
  const double naive = task ? task->naiveSeconds : history.naiveTotal();
  const double factor = naive / (hit.place.y() / 1e3);
  if (factor > 0 && std::isfinite(factor))
    text += tr(" · %1 faster than naive").arg(factorText(factor));
  return text;
}

} // namespace nestwright::ui
