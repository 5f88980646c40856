#pragma once
/// \file Which nodes run as one kernel (handbook/ansor.md 11.2).

#include "core/network/graph/graph.h"

namespace nestwright {

/// Nodes that run as one kernel. Reshapes rename memory and are in no group, but between nodes that
/// only move elements.
struct FusedGroup {
  std::vector<int> nodes; // indices in the network, ascending
  int anchor = -1;        // the node that does the work; -1: only element-wise or moving nodes
  TensorId output = -1;
};

/// More nodes than any kernel takes: a longer chain becomes several kernels, so that the work on
/// one stays bounded. No network in use comes near it; TVM's relay.FuseOps has the same limit.
inline constexpr std::size_t kMostFused = 256;

/// Groups in an order in which they can run. An anchor (convolution, matrix product, pooling,
/// softmax, normalisation, reduction) takes the element-wise operators that follow it in its shape,
/// also where they part and meet again (x * f(x)), as long as one tensor leaves the group. Where
/// two anchors meet (a residual addition of two convolutions) the one on the longer path takes it:
/// that depends neither on names nor on the order of nodes, and never makes a cycle. Element-wise
/// operators in front of a reduction that reads its data once join it, and what dequantises joins
/// the only reader of the numbers within an anchor's group. What has no anchor joins the only
/// reader of its result when that has none either: a chain that moves elements is one kernel.
std::vector<FusedGroup> fuse(const Network& network);

/// Every node by itself.
std::vector<FusedGroup> withoutFusion(const Network& network);

} // namespace nestwright
