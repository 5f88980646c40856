#include "core/network/graph/integer_product.h"
#include "core/network/graph/narrow_integers.h"
#include "core/network/pass/passes.h"

#include <algorithm>

namespace nestwright {

namespace {

/// A tensor that is (steps - zero) * scale of tensors of the new network.
struct Dequantised {
  TensorId steps = -1, scale = -1, zero = -1;
};

/// Dequantising waits until somebody asks for the real numbers.
class IntegerProductPass {
 public:
  explicit IntegerProductPass(const Network& network)
      : from_(network), to_(network), waiting_(network.tensors.size()),
        isMade_(network.tensors.size(), 0) {}

  Network run() {
    for (const Node& node : from_.nodes)
      if (!rewrite(node)) {
        for (const TensorId input : node.inputs)
          real(input);
        to_.copy(node);
      }
    for (const TensorId id : from_.outputs)
      real(id);
    return to_.finish();
  }

 private:
  const std::optional<Dequantised>& waiting(TensorId old) const {
    return waiting_[static_cast<std::size_t>(old)];
  }

  TensorId real(TensorId old) {
    char& isMade = isMade_[static_cast<std::size_t>(old)];
    if (const auto& all = waiting(old); all && !isMade) {
      to_.map(old, to_.node(OpKind::DequantizeLinear, {all->steps, all->scale, all->zero}, {},
                            from_.tensor(old).name));
      isMade = 1;
    }
    return to_.mapped(old);
  }

  bool wait(const Node& node, const Dequantised& all) {
    waiting_[static_cast<std::size_t>(node.output)] = all;
    return true;
  }

  std::optional<double> uniform(TensorId id) const { return uniformValue(to_.tensor(id)); }

  /// One scale and one zero point for all elements.
  bool isUniform(const Dequantised& all) const { return uniform(all.scale) && uniform(all.zero); }

  /// What was dequantised, with one scale and zero point; null when it was not.
  const Dequantised* uniformOperand(TensorId old) const {
    const auto& all = waiting(old);
    return all && isUniform(*all) ? &*all : nullptr;
  }

  bool rewrite(const Node& node) {
    switch (node.kind) {
    case OpKind::DequantizeLinear:
      return wait(node, {real(node.inputs[0]), real(node.inputs[1]), real(node.inputs[2])});
    case OpKind::QuantizeLinear:
      return quantise(node);
    case OpKind::Reshape:
      if (const Dequantised* x = uniformOperand(node.inputs[0]))
        return wait(node, {to_.reshape(x->steps, from_.outputOf(node).shape, node.name), x->scale,
                           x->zero});
      return false;
    case OpKind::Transpose:
      return transpose(node);
    case OpKind::MaxPool:
      if (const Dequantised* x = uniformOperand(node.inputs[0]);
          x && isByte(to_.tensor(x->steps).type) && *uniform(x->scale) > 0)
        return wait(node, {to_.node(OpKind::MaxPool, {x->steps}, node.attributes, node.name),
                           x->scale, x->zero});
      return false;
    case OpKind::Conv:
      return convolution(node);
    case OpKind::MatMul:
      return matrixProduct(node);
    default:
      return false;
    }
  }

  /// The same steps as before.
  bool quantise(const Node& node) {
    const Dequantised* x = uniformOperand(node.inputs[0]);
    if (!x) return false;
    const TensorId scale = real(node.inputs[1]), zero = real(node.inputs[2]);
    if (to_.tensor(zero).type != to_.tensor(x->steps).type || uniform(scale) != uniform(x->scale) ||
        uniform(zero) != uniform(x->zero) || !(*uniform(x->scale) > 0))
      return false;
    to_.map(node.output, x->steps);
    return true;
  }

  bool transpose(const Node& node) {
    const auto& all = waiting(node.inputs[0]);
    const auto& permutation = node.as<TransposeAttributes>().permutation;
    if (!all) return false;
    const auto moved = [&](TensorId id) {
      const Shape& shape = to_.tensor(id).shape;
      if (elementCount(shape) == 1) return to_.reshape(id, {});
      return shape.size() == permutation.size() ? to_.transpose(id, permutation) : -1;
    };
    const TensorId scale = moved(all->scale), zero = moved(all->zero);
    if (scale < 0 || zero < 0) return false;
    return wait(node, {to_.transpose(all->steps, permutation, node.name), scale, zero});
  }

  /// What a product's scale is for each of `extent` outputs, which are dimension `axis` of the
  /// weights; -1 where it changes along another.
  TensorId scales(const Dequantised& weights, std::size_t axis, std::int64_t extent) {
    const Shape shape = to_.tensor(weights.scale).shape;
    const std::size_t rank = to_.tensor(weights.steps).shape.size();
    if (elementCount(shape) == 1) return to_.expand(to_.reshape(weights.scale, {1}), {extent});
    const std::size_t missing = rank - shape.size();
    const bool isAlong = axis >= missing && shape[axis - missing] == elementCount(shape);
    return isAlong ? to_.reshape(weights.scale, {extent}) : -1;
  }

  bool areBytes(const Dequantised& x, const Dequantised& weights) const {
    return isByte(to_.tensor(x.steps).type) && isByte(to_.tensor(weights.steps).type);
  }

  /// sum * (scale of the data * scale of each output); a scale an output also where it is one for
  /// all, so that the layers of a network stay equal.
  void scaled(const Node& node, TensorId sum, TensorId scale, TensorId outputs,
              const Shape& shape) {
    const TensorId factor = to_.node(OpKind::Mul, {to_.reshape(scale, {}), outputs});
    to_.map(node.output,
            to_.node(OpKind::Mul, {to_.cast(sum, kFloat32), to_.reshape(factor, shape)}, {},
                     node.name));
  }

  bool convolution(const Node& node) {
    const Dequantised* x = uniformOperand(node.inputs[0]);
    const auto& weights = waiting(node.inputs[1]);
    if (!x || !weights || !areBytes(*x, *weights)) return false;
    const Shape kernel = to_.tensor(weights->steps).shape;
    const std::optional<double> zero = uniform(weights->zero);
    if (!to_.tensor(weights->steps).constant || !zero) return false;
    const TensorId outputs = scales(*weights, 0, kernel[0]);
    if (outputs < 0) return false;
    Shape perChannel(kernel.size() - 1, 1);
    perChannel[0] = kernel[0];
    const TensorId sum =
        integerConv(to_, {x->steps, single(x->zero)}, {weights->steps, single(weights->zero)},
                    node.as<ConvAttributes>(), node.name);
    scaled(node, sum, single(x->scale), outputs, perChannel);
    return true;
  }

  bool matrixProduct(const Node& node) {
    const Dequantised* x = uniformOperand(node.inputs[0]);
    const auto& weights = waiting(node.inputs[1]);
    if (!x || !weights || !areBytes(*x, *weights) || !uniform(weights->zero)) return false;
    if (node.as<MatMulAttributes>() != MatMulAttributes{}) return false;
    const Shape right = to_.tensor(weights->steps).shape;
    const TensorId outputs = scales(*weights, right.size() - 1, right.back());
    if (outputs < 0) return false;
    const TensorId sum = integerMatMul(to_, {x->steps, single(x->zero)},
                                       {weights->steps, single(weights->zero)}, node.name);
    scaled(node, sum, single(x->scale), outputs, {right.back()});
    return true;
  }

  /// A uniform constant as one element.
  TensorId single(TensorId id) {
    const Tensor tensor = to_.tensor(id);
    if (tensor.shape.empty()) return id;
    const double value = *uniform(id);
    if (tensor.type.isFloat()) return to_.scalar(static_cast<float>(value));
    return to_.constant(tensor.name, {}, intConstant({}, {static_cast<std::int64_t>(value)}),
                        tensor.type);
  }

  const Network& from_;
  NetworkBuilder to_;
  std::vector<std::optional<Dequantised>> waiting_;
  std::vector<char> isMade_;
};

} // namespace

Network toIntegerProducts(const Network& network) {
  const bool isQuantised =
      std::ranges::any_of(network.nodes, [](const Node& node) { return isQuantising(node.kind); });
  return isQuantised ? IntegerProductPass(network).run() : network;
}

} // namespace nestwright
