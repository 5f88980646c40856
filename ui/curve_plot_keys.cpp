/// The tuning curves by the keyboard.
#include "ui/curve_plot.h"
#include "ui/document.h"

#include <algorithm>

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
  const Selection& selection = document_.selection();
  const TaskHistory* task = document_.history().find(selection.task);
  if (task == nullptr) return;
  if (bestsOnly && !task->bests.empty())
    document_.select({task->task, neighbour(task->bests, selection.record, step)});
  else if (!bestsOnly && !task->trials.empty())
    document_.select({task->task, neighbour(task->trials, selection.record, step)});
}

void CurvePlot::selectTask(int step) {
  const auto& tasks = document_.tasks();
  if (tasks.empty()) return;
  const auto at = std::ranges::find(tasks, document_.selection().task,
                                    [](const TaskEntry& task) { return task.row.id; });
  const std::ptrdiff_t last = std::ssize(tasks) - 1;
  const std::ptrdiff_t next =
      at == tasks.end() ? 0 : std::clamp<std::ptrdiff_t>(at - tasks.begin() + step, 0, last);
  document_.selectTask(tasks[static_cast<std::size_t>(next)].row.id);
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
