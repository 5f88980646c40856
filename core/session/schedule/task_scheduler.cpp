#include "core/session/schedule/task_scheduler.h"

#include "core/support/error.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {

/// By index.
std::vector<std::size_t> definitionsOf(std::span<const TaskProgress> tasks) {
  std::vector<std::size_t> definitions;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto found = tasks[i].definition == 0
                           ? tasks.end()
                           : std::ranges::find(tasks, tasks[i].definition, &TaskProgress::task);
    definitions.push_back(found == tasks.end() ? i
                                               : static_cast<std::size_t>(found - tasks.begin()));
  }
  return definitions;
}

} // namespace

std::vector<bool> countedTasks(std::span<const TaskProgress> tasks) {
  std::vector<double> seconds;
  for (const TaskProgress& task : tasks)
    seconds.push_back(task.bestSeconds);
  return countedTasks(definitionsOf(tasks), seconds);
}

std::vector<double> operatorSeconds(std::span<const TaskProgress> tasks) {
  const std::vector<std::size_t> definitions = definitionsOf(tasks);
  std::vector<double> least(tasks.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < tasks.size(); ++i)
    least[definitions[i]] = std::min(least[definitions[i]], tasks[i].bestSeconds);
  std::vector<double> seconds;
  for (const std::size_t definition : definitions)
    seconds.push_back(least[definition]);
  return seconds;
}

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

namespace {

std::unique_ptr<TaskScheduler> makeGradient(const SchedulerOptions& options) {
  GradientOptions gradient;
  gradient.seed = options.seed;
  gradient.epsilon = options.epsilon;
  return std::make_unique<GradientScheduler>(options.objective, gradient);
}

std::unique_ptr<TaskScheduler> makeRoundRobin(const SchedulerOptions&) {
  return std::make_unique<RoundRobinScheduler>();
}

} // namespace

const std::vector<TaskSchedulerKind>& builtInTaskSchedulers() {
  static const std::vector<TaskSchedulerKind> kinds = {
      {.name = "gradient",
       .purpose = "The task whose next round promises the largest fall of the objective.",
       .followsObjective = true,
       .make = makeGradient},
      {.name = "round-robin",
       .purpose = "Every task in turn, as often as its importance says.",
       .make = makeRoundRobin}};
  return kinds;
}

} // namespace nestwright
