#include "core/network/partition/partition.h"

#include "core/network/partition/describe.h"
#include "core/network/partition/lower_group.h"
#include "core/network/pass/passes.h"
#include "core/support/error.h"
#include "core/tensor/check_bounds.h"
#include "core/tensor/text.h"

namespace nestwright {

namespace {

bool hasReduction(const ComputeDag& dag) {
  return std::any_of(dag.ops().begin(), dag.ops().end(),
                     [](const Op& op) { return op->reducer.has_value(); });
}

/// Tunable tasks to the front; groups follow their tasks.
void sortTasks(Partition& partition) {
  std::vector<int> order;
  for (const bool tunable : {true, false})
    for (std::size_t t = 0; t < partition.tasks.size(); ++t)
      if (partition.tasks[t].tunable == tunable) order.push_back(static_cast<int>(t));
  std::vector<Task> tasks;
  std::vector<int> place(order.size());
  for (const int t : order) {
    place[static_cast<std::size_t>(t)] = static_cast<int>(tasks.size());
    tasks.push_back(std::move(partition.tasks[static_cast<std::size_t>(t)]));
  }
  partition.tasks = std::move(tasks);
  for (TaskGroup& group : partition.groups)
    group.task = place[static_cast<std::size_t>(group.task)];
}

} // namespace

std::size_t Partition::tunableCount() const {
  return static_cast<std::size_t>(
      std::count_if(tasks.begin(), tasks.end(), [](const Task& task) { return task.tunable; }));
}

double Partition::flops() const {
  double total = 0;
  for (const Task& task : tasks)
    total += task.weight * task.flops;
  return total;
}

Partition partition(Network network, bool fused) {
  Partition result;
  result.network = std::move(network);
  const std::vector<TensorId> storage = storageTensors(result.network);
  std::map<std::string, int> known;
  for (const FusedGroup& group : fused ? fuse(result.network) : withoutFusion(result.network)) {
    LoweredGroup lowered = lowerGroup(result.network, storage, group);
    const std::string key = workloadKey(lowered.dag);
    const auto [entry, isNew] = known.emplace(key, static_cast<int>(result.tasks.size()));
    if (isNew) {
      checkBounds(lowered.dag);
      Task task{key, lowered.dag, 0, describe(result.network, group), flops(lowered.dag), false};
      task.tunable = hasReduction(task.dag);
      result.tasks.push_back(std::move(task));
    }
    const ComputeDag& same = result.tasks[static_cast<std::size_t>(entry->second)].dag;
    if (!isNew && print(same) != print(lowered.dag))
      throw Error(fmt::format("two tasks of '{}' share the key {} and differ; please report this",
                              result.network.name, key));
    ++result.tasks[static_cast<std::size_t>(entry->second)].weight;
    const int main = group.anchor >= 0 ? group.anchor : group.nodes[0];
    result.groups.push_back({entry->second, std::move(lowered.inputs), group.output,
                             result.network.nodes[static_cast<std::size_t>(main)].name,
                             group.nodes});
  }
  sortTasks(result);
  return result;
}

Partition optimisedPartition(const Network& network) {
  return partition(optimise(network));
}

} // namespace nestwright
