#include "core/network/graph/network_builder.h"
#include "core/network/pass/passes.h"

#include <set>

namespace nestwright {

namespace {

bool isView(const Node* node) {
  return node && (node->kind == OpKind::Reshape || node->kind == OpKind::Transpose);
}

/// Puts the views below the element-wise operators: f(view(x)) becomes view(f(x)).
class ViewSinker {
 public:
  explicit ViewSinker(const Network& network) : from_(network), to_(network) {}

  Network run() {
    for (const Node& node : from_.nodes) {
      const TensorId sunk = isUnary(node.kind) || isBroadcasting(node.kind) ? sink(node) : -1;
      if (sunk >= 0)
        to_.map(node.output, sunk);
      else
        copy(node);
    }
    return to_.finish();
  }

 private:
  /// As it is, but through the builder for views, which merges chains of them.
  void copy(const Node& node) {
    const Tensor& output = from_.outputOf(node);
    if (node.kind == OpKind::Reshape)
      to_.map(node.output, to_.reshape(to_.mapped(node.inputs[0]), output.shape, node.name));
    else if (node.kind == OpKind::Transpose)
      to_.map(node.output, to_.transpose(to_.mapped(node.inputs[0]),
                                         node.as<TransposeAttributes>().permutation, node.name));
    else
      to_.copy(node);
  }

  TensorId sink(const Node& node) {
    std::vector<TensorId> inputs;
    for (const TensorId input : node.inputs)
      inputs.push_back(to_.mapped(input));
    const Tensor output = from_.outputOf(node);
    if (node.kind == OpKind::Cast) return -1;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (to_.tensor(inputs[i]).shape == output.shape && isView(to_.producer(inputs[i])))
        if (const TensorId result = apply(node, output, inputs, inputs[i], 0); result >= 0)
          return result;
    return -1;
  }

  /// Views that one operator sinks through: all of a long chain would be made anew for each.
  static constexpr int kDeepest = 16;

  /// The operation on `view`'s operand and the view on its result, again as deep as possible; -1
  /// when another operand cannot be seen from there.
  TensorId apply(const Node& node, const Tensor& output, const std::vector<TensorId>& inputs,
                 TensorId view, int depth) {
    const Node producer = *to_.producer(view);
    const Shape inner = to_.tensor(producer.inputs[0]).shape;
    std::vector<TensorId> operands;
    for (const TensorId input : inputs) {
      const TensorId operand =
          input == view ? producer.inputs[0] : seenFrom(producer, inner, output.shape, input);
      if (operand < 0) return -1;
      operands.push_back(operand);
    }
    TensorId result = -1;
    if (depth < kDeepest && isView(to_.producer(producer.inputs[0]))) {
      const Tensor innerOutput{output.name, inner, output.type, {}, false};
      result = apply(node, innerOutput, operands, producer.inputs[0], depth + 1);
    }
    if (result < 0) result = to_.node(node.kind, operands, node.attributes, node.name);
    if (producer.kind == OpKind::Transpose)
      return to_.transpose(result, producer.as<TransposeAttributes>().permutation);
    return to_.reshape(result, output.shape);
  }

  /// An operand of the operation when it works on the view's operand of shape `inner` instead.
  TensorId seenFrom(const Node& view, const Shape& inner, const Shape& outer, TensorId id) {
    const Tensor tensor = to_.tensor(id);
    if (elementCount(tensor.shape) == 1) return tensor.shape.empty() ? id : to_.reshape(id, {});
    if (view.kind == OpKind::Transpose) return -1;
    if (tensor.shape == outer) return to_.reshape(id, inner);
    const bool isVector = elementCount(tensor.shape) == tensor.shape.back();
    if (isVector && !inner.empty() && inner.back() == outer.back() &&
        tensor.shape.back() == outer.back())
      return to_.reshape(id, {tensor.shape.back()});
    return -1;
  }

  const Network& from_;
  NetworkBuilder to_;
};

/// The operand's permutation when it is read from in front of the transpose that makes it.
std::vector<int> through(const std::vector<int>& logical, const std::vector<int>& transpose) {
  std::vector<int> result;
  for (std::size_t d = 0; d < transpose.size(); ++d)
    result.push_back(transpose[logical.empty() ? d : static_cast<std::size_t>(logical[d])]);
  return result;
}

class MatMulAbsorber {
 public:
  explicit MatMulAbsorber(const Network& network)
      : from_(network), to_(network), readers_(consumers(network)), uses_(useCounts(network)) {}

  Network run() {
    for (const Node& node : from_.nodes) {
      if (node.kind == OpKind::MatMul)
        absorb(node);
      else if (!isAbsorbed(node))
        to_.copy(node);
    }
    return to_.finish();
  }

 private:
  bool isAbsorbed(const Node& node) const { return absorbed_.contains(node.output); }

  void absorb(const Node& node) {
    MatMulAttributes attributes = node.as<MatMulAttributes>();
    std::vector<TensorId> inputs{to_.mapped(node.inputs[0]), to_.mapped(node.inputs[1])};
    std::vector<int>* permutations[] = {&attributes.left, &attributes.right};
    for (std::size_t i = 0; i < 2; ++i)
      if (const Node* before = to_.producer(inputs[i]);
          before && before->kind == OpKind::Transpose) {
        *permutations[i] = through(*permutations[i], before->as<TransposeAttributes>().permutation);
        inputs[i] = before->inputs[0];
      }
    TensorId output = node.output;
    const auto& readers = readers_[static_cast<std::size_t>(output)];
    if (readers.size() == 1 && uses_[static_cast<std::size_t>(output)] == 1) {
      const Node& after = from_.nodes[static_cast<std::size_t>(readers[0])];
      if (after.kind == OpKind::Transpose) {
        attributes.output = through(attributes.output, after.as<TransposeAttributes>().permutation);
        output = after.output;
        absorbed_.insert(output);
      }
    }
    to_.map(output, to_.node(OpKind::MatMul, inputs, attributes, node.name));
  }

  const Network& from_;
  NetworkBuilder to_;
  std::vector<std::vector<int>> readers_;
  std::vector<int> uses_;
  std::set<TensorId> absorbed_;
};

} // namespace

Network absorbTransposes(const Network& network) {
  return MatMulAbsorber(foldConstants(ViewSinker(network).run())).run();
}

Network optimise(const Network& network) {
  Network result = absorbTransposes(fillChannels(toChannelsLast(absorbPads(foldBatchNorm(
      recogniseLayerNorm(foldConstants(toUnsignedSteps(toIntegerProducts(network)))))))));
  return hasNarrowProducts(network) ? narrowProducts(result) : result;
}

} // namespace nestwright
