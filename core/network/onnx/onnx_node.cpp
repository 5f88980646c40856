#include "core/network/onnx/onnx_node.h"

#include "core/support/error.h"

namespace nestwright::onnx_import {

const std::string& nameOf(const onnx::NodeProto& node) {
  return node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
}

std::string labelOf(const onnx::NodeProto& node) {
  return fmt::format("node '{}' ({})", nameOf(node), node.op_type());
}

void OnnxNode::fail(const std::string& reason) const {
  throw PlacedInputError(fmt::format("{}: {}", labelOf(node_), reason));
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
