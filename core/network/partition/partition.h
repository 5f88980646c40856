#pragma once
/// \file A network cut into groups that run one after another, and the distinct tasks among them.

#include "core/network/partition/fusion.h"
#include "core/tensor/compute_dag.h"

namespace nestwright {

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
};

/// One run of a task within the network.
struct TaskGroup {
  int task = -1;                // index into Partition::tasks
  std::vector<TensorId> inputs; // storage tensors, in the order of the DAG's inputs
  TensorId output = -1;
  std::string name;       // of the anchor or first node
  std::vector<int> nodes; // of Partition::network
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

/// Cuts a network as it is. Without fusion every node is a group.
Partition partition(Network network, bool fused = true);

/// The graph passes, then `partition`: what is tuned and run. Tasks are the same on every target,
/// so that their keys are.
Partition optimisedPartition(const Network& network);

} // namespace nestwright
