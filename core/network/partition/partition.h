#pragma once
/// \file A network cut into groups that run one after another, and the distinct tasks among them.

#include "core/network/partition/fusion.h"
#include "core/tensor/compute_dag.h"

#include <optional>
#include <string_view>

namespace nestwright {

/// Another definition of a task's work: the same result up to rounding, computed in another way.
struct Alternative {
  std::string name; // "winograd F(4,3)"
  std::string key;  // workloadKey of the DAG
  ComputeDag dag;   // marked as an alternative of the task's
  double flops = 0; // of one run
};

/// A distinct piece of work of a network.
struct Task {
  std::string key; // workloadKey of the DAG
  ComputeDag dag;
  int weight = 0;          // number of groups that do this work
  std::string description; // "Conv 3x3 64->64 on 56x56 + Bias + Relu"
  double flops = 0;        // of one run
  /// Worth a search: it contains a reduction. Others (moving elements, lone element-wise operators)
  /// run as their naive program.
  bool tunable = false;
  std::vector<Alternative> alternatives = {}; // that were asked for; see addAlternatives()
};

/// One run of a task within the network.
struct TaskGroup {
  int task = -1;                // index into Partition::tasks
  std::vector<TensorId> inputs; // storage tensors, in the order of the DAG's inputs
  TensorId output = -1;
  std::string name;       // of the anchor or first node
  std::vector<int> nodes; // of Partition::network
  /// The inputs that each of the task's alternatives takes instead.
  std::vector<std::vector<TensorId>> alternativeInputs = {};
};

struct Partition {
  Network network; // after the graph passes
  /// Tunable tasks first, each part in the order of first use: the index of `NETWORK#index`.
  std::vector<Task> tasks;
  std::vector<TaskGroup> groups; // in an order in which they can run

  std::size_t tunableCount() const;
  /// Operations of one run of the network.
  double flops() const;
};

/// Which definitions of an operator there are beside its own.
enum class Alternatives : std::uint8_t {
  Off,   // none
  Exact, // those that sum the same products: today there are none
  All,   // also Winograd's filtering, which rounds otherwise (core/network/graph/winograd.h)
};
/// "off", "exact", "all"
const char* name(Alternatives which);
std::optional<Alternatives> alternativesFromName(std::string_view text);
/// Throws UsageError that lists them.
Alternatives alternativesNamed(std::string_view text);

/// Cuts a network as it is. Without fusion every node is a group.
Partition partition(Network network, bool fused = true, Alternatives which = Alternatives::Off);

/// The graph passes, then `partition`: what is tuned and run. Tasks are the same on every target,
/// so that their keys are, and the same whatever alternatives they have.
Partition optimisedPartition(const Network& network, Alternatives which = Alternatives::Off);

/// The partition with the chosen alternative (an index, or -1 for the definition; one entry a task)
/// in the place of each task.
Partition withAlternatives(Partition partition, const std::vector<int>& chosen);

} // namespace nestwright
