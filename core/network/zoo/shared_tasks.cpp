#include "core/network/zoo/shared_tasks.h"

#include "core/network/zoo/zoo.h"
#include "core/support/error.h"
#include "core/support/parallel.h"
#include "core/tensor/text.h"

#include <algorithm>
#include <unordered_map>

namespace nestwright {

std::vector<SharedTask> sharedTasks(const std::vector<std::string>& specs, unsigned threads) {
  // Only the tasks are kept: a partition holds its network, and there are many.
  std::vector<std::vector<Task>> byNetwork(specs.size());
  parallelFor(specs.size(), threads, [&](std::size_t n) {
    byNetwork[n] = optimisedPartition(parseNetworkSpec(specs[n])).tasks;
  });
  std::vector<SharedTask> shared;
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t n = 0; n < byNetwork.size(); ++n)
    for (Task& task : byNetwork[n]) {
      const SharedTask::Use use{static_cast<int>(n), task.weight};
      const auto [entry, isNew] = known.emplace(task.key, shared.size());
      if (isNew) {
        shared.push_back({std::move(task), {use}});
        continue;
      }
      SharedTask& same = shared[entry->second];
      if (print(same.task.dag) != print(task.dag))
        throw Error(fmt::format("two tasks, of '{}' and '{}', share the key {} and differ; please "
                                "report this",
                                specs[static_cast<std::size_t>(same.uses[0].network)], specs[n],
                                task.key));
      same.task.weight += task.weight;
      same.uses.push_back(use);
    }
  std::stable_partition(shared.begin(), shared.end(),
                        [](const SharedTask& entry) { return entry.task.tunable; });
  return shared;
}

} // namespace nestwright
