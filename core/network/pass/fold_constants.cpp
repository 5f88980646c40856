#include "core/network/graph/host_evaluate.h"
#include "core/network/graph/network_builder.h"
#include "core/network/pass/passes.h"
#include "core/support/error.h"

namespace nestwright {

namespace {

/// Weights never count: what a network's tasks are must not depend on what it learnt. Large
/// constants are not looked at.
bool isFilledWith(const Tensor& tensor, float value) {
  if (!tensor.constant || tensor.learnable || tensor.type != kFloat32 ||
      elementCount(tensor.shape) > kSmallArray)
    return false;
  const ArrayPtr array = tensor.constant.materialise();
  return std::all_of(array->floats().begin(), array->floats().end(),
                     [value](float x) { return x == value; });
}

/// The operand that the node's result equals, or -1.
TensorId withoutEffect(const NetworkBuilder& to, const Node& node, const Tensor& output,
                       const std::vector<TensorId>& inputs) {
  const auto passes = [&](std::size_t i) {
    return to.tensor(inputs[i]).shape == output.shape && to.tensor(inputs[i]).type == output.type;
  };
  switch (node.kind) {
  case OpKind::Reshape:
  case OpKind::Expand:
  case OpKind::Cast:
    return passes(0) ? inputs[0] : -1;
  case OpKind::MaxPool:
  case OpKind::AveragePool: {
    const Window& window = node.as<PoolAttributes>().window;
    const Shape ones(window.kernel.size(), 1), none(window.kernel.size(), 0);
    // With padding and a stride the shape may be the same, and the elements are others.
    const bool isPlain =
        window.kernel == ones && window.padsBefore == none && window.padsAfter == none;
    return passes(0) && isPlain ? inputs[0] : -1;
  }
  case OpKind::Pad: {
    const auto& pad = node.as<PadAttributes>();
    const Shape none(pad.before.size(), 0);
    return pad.before == none && pad.after == none ? inputs[0] : -1;
  }
  case OpKind::Concat:
    return inputs.size() == 1 ? inputs[0] : -1;
  case OpKind::Add:
    for (std::size_t i = 0; i < 2; ++i)
      if (passes(i) && isFilledWith(to.tensor(inputs[1 - i]), 0)) return inputs[i];
    return -1;
  case OpKind::Mul:
    for (std::size_t i = 0; i < 2; ++i)
      if (passes(i) && isFilledWith(to.tensor(inputs[1 - i]), 1)) return inputs[i];
    return -1;
  case OpKind::Sub:
    return passes(0) && isFilledWith(to.tensor(inputs[1]), 0) ? inputs[0] : -1;
  case OpKind::Div:
    return passes(0) && isFilledWith(to.tensor(inputs[1]), 1) ? inputs[0] : -1;
  default:
    return -1;
  }
}

} // namespace

Network foldConstants(const Network& network) {
  NetworkBuilder to(network);
  for (const Node& node : network.nodes) {
    std::vector<TensorId> inputs;
    for (const TensorId input : node.inputs)
      inputs.push_back(to.mapped(input));
    const Tensor& output = network.outputOf(node);
    Node rewritten = node;
    rewritten.inputs = inputs;
    const auto constant = foldedConstant(
        rewritten, output, [&](TensorId id) -> const Tensor& { return to.tensor(id); });
    // A weight that is only moved stays one.
    const bool isWeight = (node.kind == OpKind::Reshape || node.kind == OpKind::Transpose) &&
                          to.tensor(inputs[0]).learnable;
    if (constant)
      to.map(node.output, to.constant(output.name, output.shape, *constant, output.type, isWeight));
    else if (const TensorId same = withoutEffect(to, node, output, inputs); same >= 0)
      to.map(node.output, same);
    else
      to.copy(node);
  }
  return to.finish();
}

} // namespace nestwright
