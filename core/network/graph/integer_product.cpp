#include "core/network/graph/integer_product.h"

#include <algorithm>

namespace nestwright {

namespace {

constexpr DataType kInt16{DataType::Code::Int, 16, 1};

bool isZero(const NetworkBuilder& to, TensorId zero) {
  return zero < 0 || uniformValue(to.tensor(zero)) == 0;
}

/// steps - zero, whose shape is `along`, as narrow as it can be: half of what uint8 holds leaves
/// int8.
TensorId centred(NetworkBuilder& to, const SteppedOperand& operand, const Shape& along) {
  if (isZero(to, operand.zero)) return operand.steps;
  const bool isMiddle = uniformValue(to.tensor(operand.zero)) == 128;
  const TensorId zero = to.reshape(operand.zero, along);
  const TensorId difference =
      to.node(OpKind::Sub, {to.cast(operand.steps, kInt16), to.cast(zero, kInt16)});
  return isMiddle ? to.cast(difference, kInt8) : difference;
}

/// Data that processors multiply by `weights` with one instruction: of uint8 by int8, since there
/// is none of two int8. Signed steps and their zero point are moved by 128, which changes no
/// difference; toUnsignedSteps() makes them so from the beginning.
SteppedOperand dataFor(NetworkBuilder& to, TensorId weights, const SteppedOperand& data) {
  const std::optional<double> zero =
      data.zero < 0 ? std::optional(0.0) : uniformValue(to.tensor(data.zero));
  if (to.tensor(data.steps).type != kInt8 || to.tensor(weights).type != kInt8 || !zero) return data;
  return {unsignedSteps(to, data.steps), unsignedZero(to, *zero)};
}

TensorId sumOver(NetworkBuilder& to, TensorId x, ReduceAttributes reduce) {
  return to.node(OpKind::ReduceSum, {to.cast(x, kInt32)}, std::move(reduce));
}

/// sum - zero * sums of the other operand
TensorId corrected(NetworkBuilder& to, TensorId sum, TensorId zero, TensorId otherSums,
                   const std::string& name) {
  const TensorId excess = to.node(OpKind::Mul, {to.cast(zero, kInt32), otherSums});
  return to.node(OpKind::Sub, {sum, excess}, {}, name);
}

} // namespace

std::optional<double> uniformValue(const Tensor& tensor) {
  if (!tensor.constant || elementCount(tensor.shape) == 0) return std::nullopt;
  return std::visit(
      [](const auto& values) -> std::optional<double> {
        const bool same = std::ranges::all_of(values, [&](auto x) { return x == values[0]; });
        return same ? std::optional(static_cast<double>(values[0])) : std::nullopt;
      },
      tensor.constant.materialise()->data);
}

TensorId unsignedSteps(NetworkBuilder& to, TensorId steps) {
  const TensorId offset = to.constant("offset", {}, intConstant({}, {kUnsignedOffset}), kInt16);
  return to.cast(to.node(OpKind::Add, {to.cast(steps, kInt16), offset}), kUInt8);
}

TensorId unsignedZero(NetworkBuilder& to, double zero) {
  return to.constant("zero", {},
                     intConstant({}, {static_cast<std::int64_t>(zero) + kUnsignedOffset}), kUInt8);
}

TensorId integerConv(NetworkBuilder& to, const SteppedOperand& given, const SteppedOperand& kernel,
                     ConvAttributes conv, const std::string& name) {
  const std::size_t rank = to.tensor(kernel.steps).shape.size();
  const std::int64_t outputs = to.tensor(kernel.steps).shape[0];
  Shape along;
  if (kernel.zero >= 0 && elementCount(to.tensor(kernel.zero).shape) > 1) {
    along.assign(rank, 1);
    along[0] = outputs;
  }
  const TensorId weights = centred(to, kernel, along);
  const SteppedOperand data = dataFor(to, weights, given);
  if (isZero(to, data.zero)) return to.node(OpKind::Conv, {data.steps, weights}, conv, name);
  const std::optional<double> around = uniformValue(to.tensor(data.zero));
  const Shape none(conv.window.kernel.size(), 0);
  const bool isPadded = conv.window.padsBefore != none || conv.window.padsAfter != none;
  const Shape zeroShape = to.tensor(data.zero).shape;
  if (elementCount(zeroShape) != 1 || (isPadded && !around))
    return to.node(OpKind::Conv, {centred(to, data, zeroShape), weights}, conv, name);
  if (around) conv.around = static_cast<std::int64_t>(*around);
  ReduceAttributes reduce{{}, false};
  for (std::size_t d = 1; d < rank; ++d)
    reduce.axes.push_back(static_cast<int>(d));
  Shape perChannel(rank - 1, 1);
  perChannel[0] = outputs;
  const TensorId sums = to.reshape(sumOver(to, weights, reduce), perChannel);
  return corrected(to, to.node(OpKind::Conv, {data.steps, weights}, conv, name),
                   to.reshape(data.zero, {}), sums, name);
}

TensorId integerMatMul(NetworkBuilder& to, const SteppedOperand& given, const SteppedOperand& right,
                       const std::string& name) {
  const TensorId columns =
      centred(to, right, right.zero < 0 ? Shape() : Shape(to.tensor(right.zero).shape));
  const SteppedOperand left = dataFor(to, columns, given);
  const TensorId product = to.node(OpKind::MatMul, {left.steps, columns}, MatMulAttributes{}, name);
  if (isZero(to, left.zero)) return product;
  const int rows = static_cast<int>(to.tensor(columns).shape.size()) - 2;
  return corrected(to, product, left.zero, sumOver(to, columns, ReduceAttributes{{rows}, true}),
                   name);
}

} // namespace nestwright
