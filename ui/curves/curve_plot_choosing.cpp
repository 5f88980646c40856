/// What is chosen in the tuning curves by keyboard and brush, and what is said of it.
#include "ui/charts/point_figures.h"
#include "ui/curves/curve_plot.h"
#include "ui/document/document.h"
#include "ui/document/shared_selection.h"
#include "ui/records/scatter_plot.h"

#include <algorithm>
#include <utility>

namespace nestwright::ui {
namespace {

/// The record that lies `step` places from the one selected, in the order of the points; the last
/// one when none of them is.
template <class Point>
RowId neighbour(const std::vector<Point>& points, RowId selected, int step) {
  const auto at = std::ranges::find(points, selected, &Point::record);
  const std::ptrdiff_t last = std::ssize(points) - 1;
  const std::ptrdiff_t next =
      at == points.end() ? last : std::clamp<std::ptrdiff_t>(at - points.begin() + step, 0, last);
  return points[static_cast<std::size_t>(next)].record;
}

} // namespace

void CurvePlot::selectTrial(int step, bool bestsOnly) {
  const Selection& selection = document_.selection().current();
  const TaskHistory* task = document_.session().history().find(selection.task);
  if (task == nullptr) return;
  if (bestsOnly && !task->bests.empty())
    document_.selection().select({task->task, neighbour(task->bests, selection.record, step)});
  else if (!bestsOnly && !task->trials.empty())
    document_.selection().select({task->task, neighbour(task->trials, selection.record, step)});
}

void CurvePlot::selectTask(int step) {
  const auto& tasks = document_.session().tasks();
  if (tasks.empty()) return;
  const auto at = std::ranges::find(tasks, document_.selection().current().task,
                                    [](const TaskEntry& task) { return task.row.id; });
  const std::ptrdiff_t last = std::ssize(tasks) - 1;
  const std::ptrdiff_t next =
      at == tasks.end() ? 0 : std::clamp<std::ptrdiff_t>(at - tasks.begin() + step, 0, last);
  document_.selection().selectTask(tasks[static_cast<std::size_t>(next)].row.id);
}

/// Of the selected task; without one only the range along the axis says something.
std::vector<FilterCondition> CurvePlot::conditionsOf(const QRect& area) const {
  const QRect inside = area.intersected(axisRect()->rect());
  if (inside.isEmpty()) return {};
  const auto x = options_.x == XAxis::Trials ? PointFact::Trial : PointFact::Wall;
  std::vector<FilterCondition> conditions{
      conditionOf(x, xAxis->pixelToCoord(inside.left()), xAxis->pixelToCoord(inside.right()))};
  const TaskHistory* task =
      document_.session().history().find(document_.selection().current().task);
  if (task == nullptr) return conditions;
  const double low = yAxis->pixelToCoord(inside.bottom()), high = yAxis->pixelToCoord(inside.top());
  const double perPeak = options_.peakFlops / 100 / 1e9; // GFLOP/s of a per cent
  switch (options_.y) {
  case YAxis::Latency:
    conditions.push_back(conditionOf(PointFact::Latency, low, high));
    break;
  case YAxis::SpeedUp: // the slower, the less
    if (task->naiveSeconds > 0 && low > 0)
      conditions.push_back(conditionOf(PointFact::Latency, task->naiveSeconds * 1e3 / high,
                                       task->naiveSeconds * 1e3 / low));
    break;
  case YAxis::Throughput:
    conditions.push_back(conditionOf(PointFact::Throughput, low, high));
    break;
  case YAxis::Peak:
    if (perPeak > 0)
      conditions.push_back(conditionOf(PointFact::Throughput, low * perPeak, high * perPeak));
    break;
  }
  return conditions;
}

void CurvePlot::describeListed() {
  const TaskHistory* task =
      document_.session().history().find(document_.selection().current().task);
  QString text;
  if (listed_.has && task != nullptr && options_.showTrials)
    text = tr("Listed by %1, others faint: %2.").arg(listed_.filter, pointFigures(*task, listed_));
  if (std::exchange(listedText_, text) != text) Q_EMIT listedTextChanged();
}

void CurvePlot::keyPressEvent(QKeyEvent* event) {
  const bool bests = event->modifiers() & Qt::ControlModifier;
  switch (event->key()) {
  case Qt::Key_Left:
    return selectTrial(-1, bests);
  case Qt::Key_Right:
    return selectTrial(1, bests);
  case Qt::Key_Up:
    return selectTask(-1);
  case Qt::Key_Down:
    return selectTask(1);
  case Qt::Key_Home:
    return showAll();
  default:
    QCustomPlot::keyPressEvent(event);
  }
}

} // namespace nestwright::ui
