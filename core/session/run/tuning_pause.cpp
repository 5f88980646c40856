/// Tasks that pause themselves, and go on when the user frees them or nothing else is left to do.

#include "core/record/store/record_rows.h"
#include "core/session/run/stop_rule.h"
#include "core/session/run/task_failure.h"
#include "core/session/run/tuning_run.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {

std::optional<TaskModeChanged> TuningRun::pausedBy(const Task& task) {
  TaskMemory& memory = memoryOf(task);
  const StopRule rule{config_.stopFailures, config_.stopWindow};
  if (rule.failures <= 0 || memory.mode == TaskMode::Paused) return std::nullopt;
  RecordQuery query;
  query.session = row_.id;
  query.task = task.row.id;
  query.order = RecordQuery::Order::Newest;
  query.limit = rule.window;
  std::vector<TrialEnd> newest;
  for (const Record& record : store_.records().page(query))
    if (record.trial > memory.judgedAfter && !record.onDemand)
      newest.push_back({record.result.verdict, oneSentence(record.result)});
  const std::optional<std::string> cause = causeToPause(newest, rule);
  if (!cause) return std::nullopt;
  memory.mode = TaskMode::Paused;
  memory.pauseReason = *cause;
  return TaskModeChanged{task.row.id, memory.mode, memory.pauseReason};
}

std::string TuningRun::pausedText() const {
  std::string text = "every task that could take trials is paused";
  const std::vector<UntunedTask> untuned = untunedTasks(store_, row_.id);
  return untuned.empty() ? text : fmt::format("{}\n{}", text, inWords(untuned));
}

void TuningRun::freeTask(RowId task) {
  TaskMemory& memory = memoryOf(taskOf(task));
  memory.pauseReason.clear();
  memory.judgedAfter = trials_; // what failed until now does not pause it again
}

/// The user starts a session that can do nothing but go on with them. In any other it would not
/// decide as one that was never interrupted (C25).
std::vector<Event> TuningRun::freePausedThemselves() {
  std::vector<Event> events;
  if (std::ranges::any_of(progress(), takesTrials)) return events;
  for (auto& [id, memory] : state_.tasks) {
    if (memory.pauseReason.empty()) continue;
    memory.mode = TaskMode::Free;
    freeTask(id);
    events.emplace_back(TaskModeChanged{id, memory.mode, {}});
  }
  return events;
}

} // namespace nestwright
