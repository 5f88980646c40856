#include "core/session/schedule/task_scheduler.h"
#include "core/support/infinity.h"
#include "core/support/quantity.h"

#include <fmt/format.h>

namespace nestwright {

TaskChoice RoundRobinScheduler::next(std::span<const TaskProgress> tasks, int) const {
  TaskChoice choice;
  double lowest = kInfinity;
  for (const int i : eligibleTasks(tasks)) {
    const TaskProgress& task = tasks[i];
    // Stride scheduling: with equal importances this is the plain turn by turn.
    const double turn =
        static_cast<double>(task.rounds + 1) / (task.importance > 0 ? task.importance : 1);
    if (turn < lowest) {
      lowest = turn;
      choice.index = i;
    }
  }
  if (choice.index < 0) {
    choice.reason = kNoTask;
    return choice;
  }
  const TaskProgress& chosen = tasks[choice.index];
  if (chosen.mode == TaskMode::Pinned)
    choice.reason = fmt::format("pinned by the user; its round {}", chosen.rounds + 1);
  else
    choice.reason = fmt::format("round {} of this task; (rounds + 1) / importance = {:.3g} is the "
                                "lowest of {}",
                                chosen.rounds + 1, lowest, quantity(std::ssize(tasks), "task"));
  return choice;
}

} // namespace nestwright
