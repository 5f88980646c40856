#include "core/story/task_shares.h"

#include <algorithm>

namespace nestwright {

int unmeasuredTasks(const std::vector<TaskEntry>& tasks) {
  return static_cast<int>(std::ranges::count_if(tasks, [](const TaskEntry& task) {
    return task.summary.bestRecord == 0 && task.summary.naiveSeconds <= 0;
  }));
}

} // namespace nestwright
