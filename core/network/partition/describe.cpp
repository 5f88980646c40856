#include "core/network/partition/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nestwright {

namespace {

std::string times(const Shape& extents) {
  return fmt::format("{}", fmt::join(extents, "x"));
}

bool allOne(const Shape& values) {
  return std::all_of(values.begin(), values.end(), [](std::int64_t value) { return value == 1; });
}

Shape spatial(const Shape& shape, TensorLayout layout) {
  return layout == TensorLayout::ChannelsLast ? Shape(shape.begin() + 1, shape.end() - 1)
                                              : Shape(shape.begin() + 2, shape.end());
}

std::string windowText(const Window& window) {
  std::string text = times(window.kernel);
  const bool even = Shape(window.strides.size(), window.strides[0]) == window.strides;
  if (!allOne(window.strides))
    text += even ? fmt::format("/{}", window.strides[0]) : "/" + times(window.strides);
  return text;
}

std::string describeConv(const Network& network, const Node& node) {
  const auto& conv = node.as<ConvAttributes>();
  const Shape& in = network.tensor(node.inputs[0]).shape;
  const Shape& out = network.outputOf(node).shape;
  const bool last = conv.layout == TensorLayout::ChannelsLast;
  const std::int64_t from = last ? in.back() : in[1], to = last ? out.back() : out[1];
  std::string text = windowText(conv.window);
  if (conv.groups == from && conv.groups > 1)
    return fmt::format("DepthwiseConv {} {} on {}", text, to, times(spatial(in, conv.layout)));
  if (conv.groups > 1) text += fmt::format(" in {} groups", conv.groups);
  if (!allOne(conv.window.dilations)) text += fmt::format(" dilated {}", conv.window.dilations[0]);
  return fmt::format("Conv {} {}->{} on {}", text, from, to, times(spatial(in, conv.layout)));
}

/// "Bias" where a constant is added to each channel; else the operator's name.
std::string fusedName(const Network& network, const Node& node) {
  const bool constant = std::any_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
    const Tensor& tensor = network.tensor(id);
    return tensor.constant && elementCount(tensor.shape) > 1 &&
           elementCount(tensor.shape) == network.outputOf(node).shape.back();
  });
  return node.kind == OpKind::Add && constant ? "Bias" : name(node.kind);
}

std::string describeNode(const Network& network, const Node& node) {
  const Shape& in = network.tensor(node.inputs[0]).shape;
  switch (node.kind) {
  case OpKind::Conv:
    return describeConv(network, node);
  case OpKind::ConvTranspose: {
    const auto& conv = node.as<ConvAttributes>();
    const Shape& out = network.outputOf(node).shape;
    const bool last = conv.layout == TensorLayout::ChannelsLast;
    return fmt::format("ConvTranspose {} {}->{} on {}", windowText(conv.window),
                       last ? in.back() : in[1], last ? out.back() : out[1],
                       times(spatial(in, conv.layout)));
  }
  case OpKind::MaxPool:
  case OpKind::AveragePool: {
    const auto& pool = node.as<PoolAttributes>();
    return fmt::format("{} {} on {}", name(node.kind), windowText(pool.window),
                       times(spatial(in, pool.layout)));
  }
  case OpKind::MatMul:
    return fmt::format("MatMul {} by {}", times(in), times(network.tensor(node.inputs[1]).shape));
  default:
    return fmt::format("{} {}", name(node.kind), times(in));
  }
}

} // namespace

std::string describe(const Network& network, const FusedGroup& group) {
  const int main = group.anchor >= 0 ? group.anchor : group.nodes[0];
  std::string text;
  for (const int n : group.nodes) {
    const Node& node = network.nodes[static_cast<std::size_t>(n)];
    text += text.empty() ? "" : " + ";
    text += n == main ? describeNode(network, node) : fusedName(network, node);
  }
  return text;
}

} // namespace nestwright
