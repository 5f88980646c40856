#include "core/story/loading_history.h"

#include "core/record/rows/task_row.h"

#include <limits>
#include <utility>

namespace nestwright {

namespace {

/// The tasks' rows and their summaries.
std::pair<std::vector<TaskRow>, std::vector<TaskSummary>>
partsOf(const std::vector<TaskEntry>& tasks) {
  std::vector<TaskRow> rows;
  std::vector<TaskSummary> summaries;
  for (const TaskEntry& task : tasks) {
    rows.push_back(task.row);
    summaries.push_back(task.summary);
  }
  return {std::move(rows), std::move(summaries)};
}

} // namespace

void LoadingHistory::begin(TuningHistory& curves, const std::vector<TaskEntry>& tasks,
                           Scope scope) {
  const auto [rows, summaries] = partsOf(tasks);
  curves.reset(rows, summaries, scope);
  loading = true;
  waiting.clear();
}

void LoadingHistory::resume(TuningHistory& curves, const std::vector<TaskEntry>& tasks) {
  const auto [rows, summaries] = partsOf(tasks);
  curves.addTasks(rows, summaries);
  loading = true;
}

void LoadingHistory::finish(TuningHistory& curves) {
  loading = false;
  for (const CurvePoint& point : std::exchange(waiting, {}))
    curves.add(point);
  // What others found since its last trial; where it has none yet, it will begin from there.
  curves.takeInherited(std::numeric_limits<RowId>::max());
}

} // namespace nestwright
