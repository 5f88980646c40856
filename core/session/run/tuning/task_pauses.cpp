#include "core/session/run/tuning/task_pauses.h"

#include "core/record/store/record_rows.h"
#include "core/session/run/stop_rule.h"
#include "core/session/run/task_failure.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {

std::optional<TaskModeChanged> pauseIfFailing(const RunLog& log, TaskBook& tasks,
                                              const TunedTask& task, const SessionConfig& config) {
  TaskMemory& memory = tasks.memoryOf(task);
  const StopRule rule{config.stopFailures, config.stopWindow};
  if (rule.failures <= 0 || memory.mode == TaskMode::Paused) return std::nullopt;
  RecordQuery query;
  query.session = log.session();
  query.task = task.row.id;
  query.order = RecordQuery::Order::Newest;
  query.limit = rule.window;
  std::vector<TrialEnd> newest;
  for (const Record& record : log.store().records().page(query))
    if (record.trial > memory.judgedAfter && !record.onDemand)
      newest.push_back({record.result.verdict, oneSentence(record.result)});
  const std::optional<std::string> cause = causeToPause(newest, rule);
  if (!cause) return std::nullopt;
  memory.mode = TaskMode::Paused;
  memory.pauseReason = *cause;
  return TaskModeChanged{task.row.id, memory.mode, memory.pauseReason};
}

void forgetPause(TaskMemory& memory, std::int64_t trials) {
  memory.pauseReason.clear();
  memory.judgedAfter = trials;
}

std::vector<Event> freePausedThemselves(RunLog& log, TaskBook& tasks) {
  std::vector<Event> events;
  if (std::ranges::any_of(tasks.progress(), takesTrials)) return events;
  for (auto& [id, memory] : log.state().tasks) {
    if (memory.pauseReason.empty()) continue;
    memory.mode = TaskMode::Free;
    forgetPause(memory, log.counts().trials);
    events.emplace_back(TaskModeChanged{id, memory.mode, {}});
  }
  return events;
}

std::string pausedText(const RunLog& log) {
  std::string text = "every task that could take trials is paused";
  const std::vector<UntunedTask> untuned = untunedTasks(log.store(), log.session());
  return untuned.empty() ? text : fmt::format("{}\n{}", text, inWords(untuned));
}

} // namespace nestwright
