#include "core/network/partition/partition.h"

#include "core/network/partition/describe.h"
#include "core/network/partition/lower_group.h"
#include "core/network/pass/passes.h"
#include "core/support/error.h"
#include "core/support/name_table.h"
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

constexpr NameTable<Alternatives, 3> kAlternatives = {{"off", "exact", "all"}};

bool isFloat32(const Network& network, TensorId id) {
  return network.tensor(id).type == kFloat32;
}

/// Gives the tasks of a partition their alternatives by Winograd's filtering, and the network the
/// kernels that these take.
class WinogradForms {
 public:
  WinogradForms(Partition& partition, std::vector<TensorId> storage)
      : partition_(partition), storage_(std::move(storage)) {}

  /// `place` is that of the group in the partition.
  void add(const FusedGroup& group, std::size_t place) {
    if (!fits(group)) return;
    TaskGroup& parts = partition_.groups[place];
    Task& task = partition_.tasks[static_cast<std::size_t>(parts.task)];
    const std::string definition = workloadHash(task.dag);
    for (const WinogradTile tile : {WinogradTile::Two, WinogradTile::Four}) {
      LoweredGroup lowered = lowerGroup(partition_.network, storage_, group,
                                        GroupForm{tile, transformed(group, tile), definition});
      const std::string key = workloadKey(lowered.dag);
      const bool isKnown = std::ranges::any_of(
          task.alternatives, [&](const Alternative& known) { return known.key == key; });
      if (!isKnown) {
        checkBounds(lowered.dag);
        task.alternatives.push_back({winogradName(tile), key, lowered.dag, flops(lowered.dag)});
      }
      parts.alternativeInputs.push_back(std::move(lowered.inputs));
    }
  }

 private:
  const Node& anchor(const FusedGroup& group) const {
    return partition_.network.nodes[static_cast<std::size_t>(group.anchor)];
  }

  bool fits(const FusedGroup& group) const {
    const Network& network = partition_.network;
    if (group.anchor < 0 || anchor(group).kind != OpKind::Conv) return false;
    const Node& node = anchor(group);
    const auto& conv = node.as<ConvAttributes>();
    return fitsWinograd(conv.window, conv.groups, conv.layout) &&
           network.isConstant(node.inputs[1]) && isFloat32(network, node.inputs[0]) &&
           isFloat32(network, node.inputs[1]) && isFloat32(network, node.output);
  }

  TensorId transformed(const FusedGroup& group, WinogradTile tile) {
    const TensorId kernel = anchor(group).inputs[1];
    const auto [known, isNew] = kernels_.emplace(std::pair(kernel, tile), -1);
    if (!isNew) return known->second;
    Network& network = partition_.network;
    const Tensor& given = network.tensor(kernel);
    network.tensors.push_back({fmt::format("{}, {}", given.name, winogradName(tile)),
                               winogradKernelShape(given.shape, tile), given.type,
                               Constant::derived({given.constant},
                                                 [tile](const std::vector<ArrayPtr>& of) {
                                                   return winogradKernel(*of.front(), tile);
                                                 }),
                               false});
    known->second = static_cast<TensorId>(network.tensors.size()) - 1;
    storage_.push_back(known->second);
    return known->second;
  }

  Partition& partition_;
  std::vector<TensorId> storage_;
  std::map<std::pair<TensorId, WinogradTile>, TensorId> kernels_;
};

} // namespace

const char* name(Alternatives which) {
  return kAlternatives.of(which);
}

std::optional<Alternatives> alternativesFromName(std::string_view text) {
  return kAlternatives.find(text);
}

Alternatives alternativesNamed(std::string_view text) {
  if (const std::optional<Alternatives> which = alternativesFromName(text)) return *which;
  throw UsageError(fmt::format("'{}' is no choice of alternatives; there are: {}", text,
                               fmt::join(kAlternatives.names, ", ")));
}

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

Partition partition(Network network, bool fused, Alternatives which) {
  Partition result;
  result.network = std::move(network);
  const std::vector<TensorId> storage = storageTensors(result.network);
  std::map<std::string, int> known;
  const std::vector<FusedGroup> groups =
      fused ? fuse(result.network) : withoutFusion(result.network);
  for (const FusedGroup& group : groups) {
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
  WinogradForms forms(result, storage);
  for (std::size_t i = 0; which == Alternatives::All && i < groups.size(); ++i)
    forms.add(groups[i], i);
  sortTasks(result);
  return result;
}

Partition optimisedPartition(const Network& network, Alternatives which) {
  return partition(optimise(network), true, which);
}

Partition withAlternatives(Partition partition, const std::vector<int>& chosen) {
  NW_ASSERT(chosen.size() == partition.tasks.size(), "{} choices for {} tasks", chosen.size(),
            partition.tasks.size());
  for (TaskGroup& group : partition.groups)
    if (const int choice = chosen[static_cast<std::size_t>(group.task)]; choice >= 0)
      group.inputs = group.alternativeInputs.at(static_cast<std::size_t>(choice));
  for (std::size_t t = 0; t < chosen.size(); ++t) {
    if (chosen[t] < 0) continue;
    Task& task = partition.tasks[t];
    const Alternative choice = task.alternatives.at(static_cast<std::size_t>(chosen[t]));
    task.key = choice.key;
    task.dag = choice.dag;
    task.flops = choice.flops;
    task.description = fmt::format("{}, {}", task.description, choice.name);
    task.alternatives.clear();
  }
  for (TaskGroup& group : partition.groups)
    if (chosen[static_cast<std::size_t>(group.task)] >= 0) group.alternativeInputs.clear();
  return partition;
}

} // namespace nestwright
