#include "core/network/graph/integer_product.h"
#include "core/network/pass/passes.h"

#include <algorithm>

namespace nestwright {

namespace {

bool isOffset(const Tensor& tensor) {
  return uniformValue(tensor) == static_cast<double>(kUnsignedOffset);
}

/// Beside each tensor of steps of int8 stands the same of uint8; what nobody reads goes at the end.
class UnsignedStepsPass {
 public:
  explicit UnsignedStepsPass(const Network& network)
      : from_(network), to_(network), producers_(producers(network)),
        unsigned_(network.tensors.size(), -1) {}

  Network run() {
    for (const Node& node : from_.nodes) {
      if (const TensorId now = inPlaceOf(node); now >= 0)
        to_.map(node.output, now);
      else
        to_.copy(node);
      unsigned_[static_cast<std::size_t>(node.output)] = unsignedOutput(node);
    }
    return to_.finish();
  }

 private:
  /// The tensor of uint8 for `old`, or -1.
  TensorId unsignedOf(TensorId old) const { return unsigned_[static_cast<std::size_t>(old)]; }

  std::optional<double> uniform(TensorId old) const { return uniformValue(from_.tensor(old)); }

  /// The output of uint8 of a node that makes or moves steps of int8; -1 where there is none.
  TensorId unsignedOutput(const Node& node) {
    switch (node.kind) {
    case OpKind::QuantizeLinear: {
      const std::optional<double> zero = uniform(node.inputs[2]);
      if (from_.outputOf(node).type != kInt8 || !zero) return -1;
      return to_.node(
          OpKind::QuantizeLinear,
          {to_.mapped(node.inputs[0]), to_.mapped(node.inputs[1]), unsignedZero(to_, *zero)}, {},
          node.name);
    }
    case OpKind::Reshape:
      if (const TensorId x = unsignedOf(node.inputs[0]); x >= 0)
        return to_.reshape(x, from_.outputOf(node).shape, node.name);
      return -1;
    case OpKind::Transpose:
    case OpKind::MaxPool:
      if (const TensorId x = unsignedOf(node.inputs[0]); x >= 0)
        return to_.node(node.kind, {x}, node.attributes, node.name);
      return -1;
    default:
      return -1;
    }
  }

  /// What reads the steps of uint8 instead; -1 where the node stays.
  TensorId inPlaceOf(const Node& node) {
    if (node.kind == OpKind::Cast) return castOf(node);
    if (node.kind != OpKind::DequantizeLinear) return -1;
    const TensorId steps = unsignedOf(node.inputs[0]);
    const std::optional<double> zero = uniform(node.inputs[2]);
    if (steps < 0 || !zero) return -1;
    return to_.node(OpKind::DequantizeLinear,
                    {steps, to_.mapped(node.inputs[1]), unsignedZero(to_, *zero)}, {}, node.name);
  }

  /// As unsignedSteps() wrote it.
  TensorId castOf(const Node& node) const {
    if (from_.outputOf(node).type != kUInt8) return -1;
    const Node* add = producerOf(node.inputs[0], OpKind::Add);
    const Node* widened = add ? producerOf(add->inputs[0], OpKind::Cast) : nullptr;
    return widened && isOffset(from_.tensor(add->inputs[1])) ? unsignedOf(widened->inputs[0]) : -1;
  }

  const Node* producerOf(TensorId id, OpKind kind) const {
    const int index = producers_[static_cast<std::size_t>(id)];
    if (index < 0) return nullptr;
    const Node& node = from_.nodes[static_cast<std::size_t>(index)];
    return node.kind == kind ? &node : nullptr;
  }

  const Network& from_;
  NetworkBuilder to_;
  const std::vector<int> producers_;
  std::vector<TensorId> unsigned_; // of each tensor of the old network
};

} // namespace

Network toUnsignedSteps(const Network& network) {
  const bool hasSigned = std::ranges::any_of(network.nodes, [&](const Node& node) {
    return node.kind == OpKind::QuantizeLinear && network.outputOf(node).type == kInt8;
  });
  return hasSigned ? UnsignedStepsPass(network).run() : network;
}

} // namespace nestwright
