#include "core/network/graph/node_work.h"

namespace nestwright {

namespace {

double elements(const Network& network, TensorId id) {
  return static_cast<double>(elementCount(network.tensor(id).shape));
}

} // namespace

std::int64_t multiplyAccumulates(const Network& network, const Node& node) {
  const std::int64_t outputs = elementCount(network.outputOf(node).shape);
  if (node.kind == OpKind::Conv) {
    const auto& conv = node.as<ConvAttributes>();
    const Shape& data = network.tensor(node.inputs[0]).shape;
    const std::int64_t channels = conv.layout == TensorLayout::ChannelsLast ? data.back() : data[1];
    return outputs * (channels / conv.groups) * elementCount(conv.window.kernel);
  }
  if (node.kind == OpKind::ConvTranspose) {
    // Each input element meets each kernel element of its channel once.
    const auto& conv = node.as<ConvAttributes>();
    const Shape& kernel = network.tensor(node.inputs[1]).shape;
    const std::int64_t perGroup =
        conv.layout == TensorLayout::ChannelsLast ? kernel.back() : kernel[1];
    return elementCount(network.tensor(node.inputs[0]).shape) * perGroup *
           elementCount(conv.window.kernel);
  }
  if (node.kind == OpKind::MatMul) {
    const Shape& left = network.tensor(node.inputs[0]).shape;
    const auto& permutation = node.as<MatMulAttributes>().left;
    return outputs *
           (permutation.empty() ? left.back() : left[static_cast<std::size_t>(permutation.back())]);
  }
  return 0;
}

std::optional<double> flops(const Network& network, const Node& node) {
  if (isInjective(node.kind) || node.kind == OpKind::Cast) return 0;
  if (isUnary(node.kind) || isBroadcasting(node.kind)) return elements(network, node.output);
  if (isReduction(node.kind) || node.kind == OpKind::GlobalAveragePool)
    return elements(network, node.inputs[0]);
  switch (node.kind) {
  case OpKind::MaxPool:
  case OpKind::AveragePool:
    return elements(network, node.output) *
           static_cast<double>(elementCount(node.as<PoolAttributes>().window.kernel));
  case OpKind::Conv:
  case OpKind::ConvTranspose:
  case OpKind::MatMul:
    return 2.0 * static_cast<double>(multiplyAccumulates(network, node));
  default:
    return std::nullopt;
  }
}

} // namespace nestwright
