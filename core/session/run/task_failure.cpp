#include "core/session/run/task_failure.h"

#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/tuning_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {

const char* kindOf(const UntunedTask& task) {
  if (task.failed) return "failed";
  return task.lacksTemplate ? "lacks_template" : "paused";
}

std::string naiveFailure(const MeasureResult& naive) {
  return fmt::format("its naive program, which all others are compared with, cannot be measured: "
                     "{}",
                     oneSentence(naive));
}

std::string inWords(const std::vector<UntunedTask>& tasks) {
  std::string text;
  for (const UntunedTask& task : tasks)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", task.name, task.reason);
  return text;
}

std::vector<UntunedTask> untunedTasks(const RecordStore& store, RowId session) {
  std::vector<UntunedTask> untuned;
  const std::optional<SessionRow> row = store.sessions().one(session);
  if (!row) return untuned;
  const TuningState state = tuningStateFromText(row->schedulerState);
  for (const TaskRow& task : store.sessions().tasks(session)) {
    const auto found = state.tasks.find(task.id);
    if (found == state.tasks.end()) continue;
    const TaskMemory& memory = found->second;
    if (memory.failed)
      untuned.push_back({task.id, task.name, memory.exhausted, true});
    else if (memory.lacksTemplate)
      untuned.push_back({task.id, task.name, memory.exhausted, false, true});
    else if (!memory.pauseReason.empty())
      untuned.push_back({task.id, task.name, memory.pauseReason, false});
  }
  return untuned;
}

} // namespace nestwright
