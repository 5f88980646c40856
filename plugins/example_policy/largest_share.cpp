#include "plugins/example_policy/largest_share.h"

#include "core/support/infinity.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

namespace nestwright::example_policy {

namespace {

/// Seconds of the total, for each round; a task without a program comes first.
double shareOf(const TaskProgress& task) {
  if (!std::isfinite(task.bestSeconds)) return kInfinity;
  const double weight = std::accumulate(task.weights.begin(), task.weights.end(), 0.0);
  return task.importance * weight * task.bestSeconds / static_cast<double>(task.rounds + 1);
}

class LargestShare final : public TaskScheduler {
 public:
  TaskChoice next(std::span<const TaskProgress> tasks, int) const override {
    TaskChoice choice;
    choice.reason = kNoTask;
    std::pair<double, std::int64_t> most;
    for (const int i : eligibleTasks(tasks)) {
      const TaskProgress& task = tasks[static_cast<std::size_t>(i)];
      // Of equal ones the one that had fewer rounds.
      const std::pair share(shareOf(task), -task.rounds);
      if (choice.index >= 0 && share <= most) continue;
      most = share;
      choice.index = i;
      choice.reason = fmt::format("{:.3g} s of the total for each of its {} rounds and the next",
                                  share.first, task.rounds);
    }
    return choice;
  }
};

} // namespace

std::unique_ptr<TaskScheduler> makeLargestShare(const SchedulerOptions&) {
  return std::make_unique<LargestShare>();
}

} // namespace nestwright::example_policy
