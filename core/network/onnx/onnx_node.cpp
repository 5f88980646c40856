#include "core/network/onnx/onnx_node.h"

#include <set>

namespace nestwright::onnx_import {

namespace {

/// Adds what a node reads to `reads`, but for what is made around it, inside of the graph that it
/// belongs to.
void addReads(const onnx::NodeProto& node, const std::set<std::string>& own,
              std::vector<std::string>& reads) {
  for (const std::string& input : node.input())
    if (!input.empty() && !own.contains(input) && !std::ranges::count(reads, input))
      reads.push_back(input);
  const auto addGraph = [&](const onnx::GraphProto& graph) {
    std::set<std::string> inside = own;
    for (const onnx::ValueInfoProto& input : graph.input())
      inside.insert(input.name());
    for (const onnx::TensorProto& tensor : graph.initializer())
      inside.insert(tensor.name());
    for (const onnx::NodeProto& inner : graph.node())
      inside.insert(inner.output().begin(), inner.output().end());
    for (const onnx::NodeProto& inner : graph.node())
      addReads(inner, inside, reads);
    for (const onnx::ValueInfoProto& output : graph.output()) // may be a tensor from around it
      if (!inside.contains(output.name()) && !std::ranges::count(reads, output.name()))
        reads.push_back(output.name());
  };
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.has_g()) addGraph(attribute.g());
    for (const onnx::GraphProto& graph : attribute.graphs())
      addGraph(graph);
  }
}

} // namespace

std::vector<std::string> readsOf(const onnx::NodeProto& node) {
  std::vector<std::string> reads;
  addReads(node, {}, reads);
  return reads;
}

NodeImportError::NodeImportError(const onnx::NodeProto& node, const std::string& reason)
    : PlacedInputError(fmt::format("{}: {}", labelOf(node), reason)), reason_(reason) {
  const auto first = std::ranges::find_if(
      node.output(), [](const std::string& output) { return !output.empty(); });
  if (first != node.output().end()) result_ = *first;
}

const std::string& nameOf(const onnx::NodeProto& node) {
  return node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
}

std::string labelOf(const onnx::NodeProto& node) {
  return fmt::format("node '{}' ({})", nameOf(node), node.op_type());
}

void OnnxNode::fail(const std::string& reason) const {
  throw NodeImportError(node_, reason);
}

const onnx::AttributeProto* OnnxNode::attribute(const char* name) const {
  for (const onnx::AttributeProto& attribute : node_.attribute())
    if (attribute.name() == name) return &attribute;
  return nullptr;
}

std::int64_t OnnxNode::integer(const char* name, std::int64_t absent) const {
  const auto* found = attribute(name);
  return found ? found->i() : absent;
}

double OnnxNode::real(const char* name, double absent) const {
  const auto* found = attribute(name);
  return found ? found->f() : absent;
}

std::string OnnxNode::text(const char* name, const char* absent) const {
  const auto* found = attribute(name);
  return found ? found->s() : absent;
}

std::vector<std::int64_t> OnnxNode::integers(const char* name) const {
  const auto* found = attribute(name);
  return found ? std::vector<std::int64_t>(found->ints().begin(), found->ints().end())
               : std::vector<std::int64_t>();
}

std::vector<std::string> OnnxNode::texts(const char* name) const {
  const auto* found = attribute(name);
  return found ? std::vector<std::string>(found->strings().begin(), found->strings().end())
               : std::vector<std::string>();
}

} // namespace nestwright::onnx_import
