#pragma once
/// \file What a drawing of a network shows: one box a fused group, with its operators inside, and
/// the tensors that flow between them. Constants and reshapes are folded away.

#include "core/network/partition/operator_facts.h"

namespace nestwright {

struct TaskGraphNode {
  enum class Kind : std::uint8_t {
    Input,  // of the network, or a placeholder of an operator
    Output, // of the network
    Group,  // operators that run as one kernel
    Stage,  // of an operator's compute DAG
  };

  Kind kind = Kind::Group;
  int task = -1;        // index into TaskGraph::taskKeys; -1: none
  bool tunable = false; // its task is worth a search
  std::string name;     // of the anchor, tensor or stage
  std::string title;    // "Conv 3x3 64->64 on 56x56 + Bias + Relu"
  Shape shape;          // of the result
  DataType type;        // of its elements
  double flops = 0;     // of one run of a group
  /// The operators of a group, or the one that a stage is.
  std::vector<OperatorFacts> parts;
  std::string end;         // of a group: why no further operator joined it; see KernelEnds
  std::vector<int> inputs; // nodes, in the order in which the kernel takes them; each once
};

/// Nodes with producers before consumers.
struct TaskGraph {
  std::string name;                  // "resnet50"
  std::string source;                // zoo name or absolute path of the file; empty for an operator
  std::vector<std::string> taskKeys; // workload keys, in the partition's order
  std::vector<TaskGraphNode> nodes;
};

/// The nodes are in an order that only the structure decides: depth-first from the outputs, inputs
/// in the kernels' order. Equal parts of a network then come in equal order.
TaskGraph taskGraph(const Partition& partition);

/// The stages of one operator: placeholders and compute operators, constants left out.
TaskGraph taskGraph(const std::string& name, const ComputeDag& dag);

} // namespace nestwright
