#include "core/session/schedule/task_scheduler.h"

#include "core/support/error.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

bool needsWarmup(const TaskProgress& task) {
  return task.rounds == 0 || (!std::isfinite(task.bestSeconds) && task.trials < kWarmupTrials);
}

bool takesTrials(const TaskProgress& task) {
  if (task.exhausted || task.mode == TaskMode::Paused) return false;
  return task.importance > 0 || task.mode == TaskMode::Pinned;
}

std::vector<int> eligibleTasks(std::span<const TaskProgress> tasks) {
  std::vector<int> pinned, hopeful, hopeless;
  for (int i = 0; i < static_cast<int>(tasks.size()); ++i) {
    if (!takesTrials(tasks[i])) continue;
    if (tasks[i].mode == TaskMode::Pinned) pinned.push_back(i);
    const bool hopes = std::isfinite(tasks[i].bestSeconds) || needsWarmup(tasks[i]);
    (hopes ? hopeful : hopeless).push_back(i);
  }
  if (!pinned.empty()) return pinned;
  return hopeful.empty() ? hopeless : hopeful;
}

int roundTrials(std::int64_t budget, std::int64_t used, std::size_t tasks, int largest) {
  const std::int64_t fair = budget / (4 * static_cast<std::int64_t>(tasks));
  return static_cast<int>(std::min(std::clamp<std::int64_t>(fair, 1, largest), budget - used));
}

std::unique_ptr<TaskScheduler> makeTaskScheduler(std::string_view name, const Objective& objective,
                                                 std::uint64_t seed, double epsilon) {
  if (name == "round-robin") return std::make_unique<RoundRobinScheduler>();
  if (name == "gradient") {
    GradientOptions options;
    options.seed = seed;
    options.epsilon = epsilon;
    return std::make_unique<GradientScheduler>(objective, options);
  }
  throw UsageError(
      fmt::format("unknown task scheduler \"{}\"; there are gradient and round-robin", name));
}

} // namespace nestwright
