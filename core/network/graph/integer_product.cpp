#include "core/network/graph/integer_product.h"

#include <algorithm>

namespace nestwright {

namespace {

constexpr DataType kInt16{DataType::Code::Int, 16, 1};

bool isZero(const NetworkBuilder& to, TensorId zero) {
  return zero < 0 || uniformValue(to.tensor(zero)) == 0;
}

/// steps - zero, whose shape is `along`.
TensorId centred(NetworkBuilder& to, const SteppedOperand& operand, const Shape& along) {
  if (isZero(to, operand.zero)) return operand.steps;
  const TensorId zero = to.reshape(operand.zero, along);
  return to.node(OpKind::Sub, {to.cast(operand.steps, kInt16), to.cast(zero, kInt16)});
}

/// Steps of uint8 as int8, and the zero point that then means the same; others as they are.
SteppedOperand signedSteps(NetworkBuilder& to, const SteppedOperand& operand) {
  if (to.tensor(operand.steps).type != kUInt8) return operand;
  const TensorId offset = to.constant("offset", {}, intConstant({}, {kUnsignedOffset}), kInt16);
  const auto moved = [&](TensorId x) { return to.node(OpKind::Sub, {to.cast(x, kInt16), offset}); };
  const TensorId steps = to.cast(moved(operand.steps), kInt8);
  if (operand.zero < 0)
    return {steps, to.constant("zero", {}, intConstant({}, {-kUnsignedOffset}), kInt16)};
  const bool isMiddle = uniformValue(to.tensor(operand.zero)) == kUnsignedOffset;
  return {steps, isMiddle ? -1 : moved(operand.zero)};
}

/// Steps of int8 as uint8.
TensorId unsignedSteps(NetworkBuilder& to, TensorId steps) {
  const TensorId offset = to.constant("offset", {}, intConstant({}, {kUnsignedOffset}), kInt16);
  return to.cast(to.node(OpKind::Add, {to.cast(steps, kInt16), offset}), kUInt8);
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

/// Sums of so many steps, as those of what the steps mean.
TensorId centredSums(NetworkBuilder& to, TensorId sums, TensorId zero, std::int64_t terms) {
  if (isZero(to, zero)) return sums;
  const TensorId count = to.constant("terms", {}, intConstant({}, {terms}), kInt32);
  return corrected(to, sums, zero, count, {});
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

TensorId unsignedZero(NetworkBuilder& to, double zero) {
  return to.constant("zero", {},
                     intConstant({}, {static_cast<std::int64_t>(zero) + kUnsignedOffset}), kUInt8);
}

TensorId integerConv(NetworkBuilder& to, const SteppedOperand& given, const SteppedOperand& kernel,
                     ConvAttributes conv, const std::string& name) {
  const Shape shape = to.tensor(kernel.steps).shape;
  Shape perOutput(shape.size(), 1), perChannel(shape.size() - 1, 1);
  perOutput[0] = perChannel[0] = shape[0];
  const bool hasZeros = kernel.zero >= 0 && elementCount(to.tensor(kernel.zero).shape) > 1;
  SteppedOperand weights = signedSteps(to, kernel);
  if (conv.groups > 1 && !isZero(to, weights.zero)) // each group would need sums of its channels
    weights = {centred(to, kernel, hasZeros ? perOutput : Shape()), -1};
  SteppedOperand data = dataFor(to, weights.steps, given);
  if (!isZero(to, data.zero)) {
    const std::optional<double> around = uniformValue(to.tensor(data.zero));
    const Shape none(conv.window.kernel.size(), 0);
    const bool isPadded = conv.window.padsBefore != none || conv.window.padsAfter != none;
    const Shape zeroShape = to.tensor(data.zero).shape;
    if (elementCount(zeroShape) != 1 || (isPadded && !around))
      data = {centred(to, data, zeroShape), -1};
    else if (around)
      conv.around = static_cast<std::int64_t>(*around);
  }
  const TensorId zero = isZero(to, data.zero) ? -1 : to.reshape(data.zero, {});
  TensorId product = to.node(OpKind::Conv, {data.steps, weights.steps}, conv, name);
  if (zero >= 0) {
    ReduceAttributes reduce{{}, false};
    for (std::size_t d = 1; d < shape.size(); ++d)
      reduce.axes.push_back(static_cast<int>(d));
    const TensorId sums = to.reshape(sumOver(to, weights.steps, reduce), perChannel);
    product = corrected(to, product, zero, sums, name);
  }
  if (!isZero(to, weights.zero)) {
    Shape window = shape;
    window[0] = 1;
    const std::int64_t terms = elementCount(window);
    const TensorId ones =
        to.constant("ones", window,
                    intConstant(window, std::vector<std::int64_t>(std::size_t(terms), 1)), kInt8);
    const TensorId sums =
        centredSums(to, to.node(OpKind::Conv, {data.steps, ones}, conv), zero, terms);
    product = corrected(to, product, to.reshape(weights.zero, hasZeros ? perChannel : Shape()),
                        sums, name);
  }
  return product;
}

TensorId integerMatMul(NetworkBuilder& to, const SteppedOperand& given, const SteppedOperand& right,
                       const std::string& name) {
  const SteppedOperand columns = signedSteps(to, right);
  const SteppedOperand left = dataFor(to, columns.steps, given);
  TensorId product = to.node(OpKind::MatMul, {left.steps, columns.steps}, MatMulAttributes{}, name);
  const Shape shape = to.tensor(columns.steps).shape;
  const int rows = static_cast<int>(shape.size()) - 2;
  if (!isZero(to, left.zero))
    product = corrected(to, product, left.zero,
                        sumOver(to, columns.steps, ReduceAttributes{{rows}, true}), name);
  if (!isZero(to, columns.zero)) {
    const int last = static_cast<int>(to.tensor(left.steps).shape.size()) - 1;
    const TensorId sums = centredSums(to, sumOver(to, left.steps, ReduceAttributes{{last}, true}),
                                      left.zero, shape[shape.size() - 2]);
    product = corrected(to, product, columns.zero, sums, name);
  }
  return product;
}

} // namespace nestwright
