#include "core/network/partition/graph_layout_input.h"

#include <fmt/format.h>

namespace nestwright {

namespace {

constexpr double kPointsPerInch = 72;

std::string inches(int points) {
  return fmt::format("{:.4g}", points / kPointsPerInch);
}

} // namespace

BoxSize boxSize(const TaskGraphNode& node) {
  switch (node.kind) {
  case TaskGraphNode::Kind::Input:
  case TaskGraphNode::Kind::Output:
    return {180, 34};
  case TaskGraphNode::Kind::Group:
  case TaskGraphNode::Kind::Stage:
    break;
  }
  return node.tunable ? BoxSize{220, 96} : BoxSize{180, 42};
}

std::string layoutInput(const TaskGraph& graph, const DrawnGraph& drawn) {
  std::string text = "digraph {\n"
                     "  graph [nodesep=0.3, ranksep=0.42];\n"
                     "  node [shape=box, fixedsize=true, label=\"\"];\n"
                     "  edge [arrowhead=none];\n";
  for (std::size_t i = 0; i < drawn.nodes.size(); ++i) {
    const BoxSize box = boxSize(graph.nodes[static_cast<std::size_t>(drawn.nodes[i])]);
    text += fmt::format("  n{} [width={}, height={}];\n", i, inches(box.width), inches(box.height));
  }
  for (std::size_t f = 0; f < drawn.frames.size(); ++f) {
    text += fmt::format("  subgraph cluster_{} {{ margin=16;", f);
    for (const int node : drawn.frames[f].nodes)
      text += fmt::format(" n{};", node);
    text += " }\n";
  }
  for (std::size_t e = 0; e < drawn.edges.size(); ++e)
    text += fmt::format("  n{} -> n{} [id=e{}];\n", drawn.edges[e].from, drawn.edges[e].to, e);
  return text + "}\n";
}

} // namespace nestwright
