#pragma once
/// \file The text that Graphviz's dot lays a task graph out from.

#include "core/network/partition/graph_folding.h"

#include <string>

namespace nestwright {

/// Size of a node's box, in points (1/72 inch), the unit of the layout.
struct BoxSize {
  int width = 0, height = 0;
};
BoxSize boxSize(const TaskGraphNode& node);

/// Node i is called n<i>, edge j has the attribute id=e<j>, and frame k is the cluster
/// cluster_<k>; nothing that does not change the layout is in the text, so that equal texts have
/// equal layouts.
std::string layoutInput(const TaskGraph& graph, const DrawnGraph& drawn);

} // namespace nestwright
