#include "core/network/graph/infer.h"

#include "core/network/graph/narrow_integers.h"
#include "core/network/graph/operators.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <utility>

namespace nestwright {

std::string shapeText(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

namespace {

using Types = std::vector<TensorType>;

/// More padding than this is a mistake in a file.
constexpr std::int64_t kFar = std::int64_t{1} << 31;

void require(bool condition, const std::string& message) {
  if (!condition) throw InputError(message);
}

void requireInputs(OpKind kind, const Types& inputs, std::size_t count) {
  require(inputs.size() == count,
          fmt::format("{} takes {}, not {}", name(kind), quantity(std::int64_t(count), "operand"),
                      inputs.size()));
}

/// What is computed with elements of a type: float32 for bfloat16, which only stores them.
DataType computedType(DataType type) {
  return type.isHalf() ? kFloat32 : type;
}

/// The scale and the zero point must be of the data's shape, or repeat within it.
TensorType inferQuantising(OpKind kind, const Types& inputs) {
  requireInputs(kind, inputs, 3);
  const TensorType &data = inputs[0], &scale = inputs[1], &zero = inputs[2];
  for (const TensorType* parameter : {&scale, &zero})
    require(broadcastShape(data.shape, parameter->shape) == data.shape,
            fmt::format("{} does not repeat within the data {}", shapeText(parameter->shape),
                        shapeText(data.shape)));
  require(scale.type == kFloat32, fmt::format("a scale of {}", toString(scale.type)));
  if (kind == OpKind::DequantizeLinear) {
    require(isByte(data.type) || data.type == kInt32,
            fmt::format("the data is {}, not int8, uint8 or int32", toString(data.type)));
    require(zero.type == data.type, fmt::format("the zero point is {} and the data {}",
                                                toString(zero.type), toString(data.type)));
    return {data.shape, kFloat32};
  }
  require(data.type == kFloat32, fmt::format("the data is {}", toString(data.type)));
  require(isByte(zero.type),
          fmt::format("the zero point is {}, not int8 or uint8", toString(zero.type)));
  return {data.shape, zero.type};
}

TensorType inferBroadcast(OpKind kind, const Types& inputs) {
  if (isQuantising(kind)) return inferQuantising(kind, inputs);
  requireInputs(kind, inputs, kind == OpKind::Where ? 3 : 2);
  Shape shape;
  for (const TensorType& input : inputs) {
    const auto common = broadcastShape(shape, input.shape);
    require(common.has_value(),
            fmt::format("{} and {} do not broadcast", shapeText(shape), shapeText(input.shape)));
    shape = *common;
  }
  const TensorType& a = inputs[inputs.size() - 2];
  const TensorType& b = inputs[inputs.size() - 1];
  require(computedType(a.type) == computedType(b.type) || kind == OpKind::Pow,
          fmt::format("{} of {} and {}", name(kind), toString(a.type), toString(b.type)));
  if (kind == OpKind::And || kind == OpKind::Or)
    require(a.type.isBool(), fmt::format("{} of {}", name(kind), toString(a.type)));
  const bool compares = kind >= OpKind::Equal && kind <= OpKind::LessOrEqual;
  return {shape, compares ? kBool : computedType(a.type)};
}

Shape windowShape(const Window& window, const Shape& data, TensorLayout layout, bool ceiling) {
  require(
      data.size() == window.kernel.size() + 2,
      fmt::format("a window over {} axes does not fit data {}", window.rank(), shapeText(data)));
  Shape shape = data;
  const std::size_t first = layout == TensorLayout::ChannelsLast ? 1 : 2;
  for (std::size_t a = 0; a < window.kernel.size(); ++a) {
    shape[first + a] = window.outputs(a, data[first + a], ceiling);
    require(shape[first + a] > 0, fmt::format("the window {} is larger than the padded data {}",
                                              shapeText(window.kernel), shapeText(data)));
  }
  return shape;
}

/// Of a sum of products: narrow integers of any two types are summed in int32.
DataType productType(OpKind kind, const Types& inputs) {
  const DataType a = inputs[0].type, b = inputs[1].type;
  if (isNarrow(a) && isNarrow(b)) return kInt32;
  require(computedType(a) == computedType(b),
          fmt::format("{} of {} and {}", name(kind), toString(a), toString(b)));
  return computedType(a);
}

TensorType inferConv(const ConvAttributes& conv, const Types& inputs) {
  requireInputs(OpKind::Conv, inputs, 2);
  const Shape& data = inputs[0].shape;
  const Shape& kernel = inputs[1].shape;
  const bool last = conv.layout == TensorLayout::ChannelsLast;
  Shape shape = windowShape(conv.window, data, conv.layout, false);
  require(kernel.size() == data.size(),
          fmt::format("a kernel {} does not fit data {}", shapeText(kernel), shapeText(data)));
  const std::int64_t channels = last ? data.back() : data[1];
  const bool depthwise = last && conv.groups == channels && conv.groups > 1 && data.size() == 4;
  const std::size_t n = kernel.size();
  const std::int64_t perGroup = depthwise ? 1 : last ? kernel[n - 2] : kernel[1];
  const std::int64_t outputs = depthwise ? kernel[n - 2] * kernel[n - 1]
                               : last    ? kernel[n - 1]
                                         : kernel[0];
  require(perGroup * conv.groups == channels && outputs % conv.groups == 0,
          fmt::format("a kernel {} in {} does not fit data {}", shapeText(kernel),
                      quantity(conv.groups, "group"), shapeText(data)));
  shape[last ? n - 1 : 1] = outputs;
  return {shape, productType(OpKind::Conv, inputs)};
}

TensorType inferConvTranspose(const ConvAttributes& conv, const Types& inputs) {
  requireInputs(OpKind::ConvTranspose, inputs, 2);
  const Shape& data = inputs[0].shape;
  const Shape& kernel = inputs[1].shape;
  const bool last = conv.layout == TensorLayout::ChannelsLast;
  const std::size_t rank = data.size(), first = last ? 1 : 2;
  const Window& window = conv.window;
  const std::string text = fmt::format("a kernel {} in {} does not fit data {}", shapeText(kernel),
                                       quantity(conv.groups, "group"), shapeText(data));
  require(rank == window.kernel.size() + 2 && kernel.size() == rank, text);
  const std::int64_t channels = last ? data.back() : data[1];
  require((last ? kernel[rank - 2] : kernel[0]) == channels && channels % conv.groups == 0, text);
  Shape shape = data;
  for (std::size_t a = 0; a < window.kernel.size(); ++a) {
    shape[first + a] = window.transposedOutputs(a, data[first + a]);
    require(shape[first + a] > 0, "the padding leaves nothing of the result");
  }
  shape[last ? rank - 1 : 1] = (last ? kernel[rank - 1] : kernel[1]) * conv.groups;
  return {shape, productType(OpKind::ConvTranspose, inputs)};
}

/// The operand's shape as (batch..., rows, columns).
Shape logicalShape(const Shape& shape, const std::vector<int>& permutation) {
  if (permutation.empty()) return shape;
  Shape logical;
  for (const int d : permutation)
    logical.push_back(shape[static_cast<std::size_t>(d)]);
  return logical;
}

TensorType inferMatMul(const MatMulAttributes& attributes, const Types& inputs) {
  requireInputs(OpKind::MatMul, inputs, 2);
  const Shape a = logicalShape(inputs[0].shape, attributes.left);
  const Shape b = logicalShape(inputs[1].shape, attributes.right);
  const std::string text = fmt::format("{} times {}", shapeText(a), shapeText(b));
  require(a.size() >= 2 && b.size() >= 2,
          fmt::format("a matrix product needs two dimensions or more: {}", text));
  require(a.back() == b[b.size() - 2], fmt::format("the inner extents differ: {}", text));
  const auto batch = broadcastShape(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  require(batch.has_value(), fmt::format("the batch extents differ: {}", text));
  Shape shape = *batch;
  shape.push_back(a[a.size() - 2]);
  shape.push_back(b.back());
  return {logicalShape(shape, attributes.output), productType(OpKind::MatMul, inputs)};
}

TensorType inferReduce(OpKind kind, const ReduceAttributes& attributes, const Types& inputs) {
  requireInputs(kind, inputs, 1);
  Shape shape;
  std::size_t next = 0;
  for (std::size_t d = 0; d < inputs[0].shape.size(); ++d) {
    const bool reduced =
        next < attributes.axes.size() && attributes.axes[next] == static_cast<int>(d);
    next += reduced ? 1 : 0;
    if (!reduced)
      shape.push_back(inputs[0].shape[d]);
    else if (attributes.keepDimensions)
      shape.push_back(1);
  }
  if (next != attributes.axes.size())
    throw InputError(fmt::format("there is no axis {} in {}", attributes.axes[next],
                                 shapeText(inputs[0].shape)));
  return {shape, inputs[0].type};
}

TensorType inferConcat(const AxisAttributes& attributes, const Types& inputs) {
  require(!inputs.empty(), "Concat takes at least one operand");
  const auto axis = static_cast<std::size_t>(attributes.axis);
  TensorType result = inputs[0];
  require(axis < result.shape.size(),
          fmt::format("there is no axis {} in {}", axis, shapeText(result.shape)));
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    Shape shape = inputs[i].shape;
    require(shape.size() == result.shape.size() && inputs[i].type == result.type,
            "the operands differ in rank or type");
    const std::int64_t extent = std::exchange(shape[axis], result.shape[axis]);
    require(shape == result.shape,
            fmt::format("{} and {} differ beside axis {}", shapeText(inputs[i].shape),
                        shapeText(result.shape), axis));
    result.shape[axis] += extent;
  }
  return result;
}

TensorType inferGather(const AxisAttributes& attributes, const Types& inputs) {
  requireInputs(OpKind::Gather, inputs, 2);
  require(inputs[1].type.isInt(), "the indices are no integers");
  const auto axis = static_cast<std::size_t>(attributes.axis);
  Shape shape = inputs[0].shape;
  require(axis < shape.size(), fmt::format("there is no axis {} in {}", axis, shapeText(shape)));
  shape.erase(shape.begin() + attributes.axis);
  shape.insert(shape.begin() + attributes.axis, inputs[1].shape.begin(), inputs[1].shape.end());
  return {shape, inputs[0].type};
}

TensorType inferGatherElements(const AxisAttributes& attributes, const Types& inputs) {
  requireInputs(OpKind::GatherElements, inputs, 2);
  require(inputs[1].type.isInt(), "the indices are no integers");
  const Shape &data = inputs[0].shape, &indices = inputs[1].shape;
  bool fits = data.size() == indices.size() && attributes.axis < static_cast<int>(data.size());
  for (std::size_t d = 0; fits && d < data.size(); ++d)
    fits = static_cast<int>(d) == attributes.axis || indices[d] <= data[d];
  require(fits, fmt::format("indices {} do not fit data {} on axis {}", shapeText(indices),
                            shapeText(data), attributes.axis));
  return {indices, inputs[0].type};
}

TensorType inferPad(const PadAttributes& pad, const Types& inputs) {
  requireInputs(OpKind::Pad, inputs, 1);
  TensorType result = inputs[0];
  require(pad.before.size() == result.shape.size() && pad.after.size() == result.shape.size(),
          fmt::format("the padding does not fit data {}", shapeText(result.shape)));
  for (std::size_t d = 0; d < result.shape.size(); ++d) {
    // A mirror reaches at most to the other border; there it would need a mirror again.
    const std::int64_t reach =
        pad.mode == PadAttributes::Mode::Reflect ? result.shape[d] - 1 : result.shape[d] + kFar;
    require(std::min(pad.before[d], pad.after[d]) >= 0 &&
                std::max(pad.before[d], pad.after[d]) <= reach,
            fmt::format("the padding of {} and {} does not fit dimension {} of {}", pad.before[d],
                        pad.after[d], d, shapeText(result.shape)));
    result.shape[d] += pad.before[d] + pad.after[d];
  }
  return result;
}

TensorType inferTranspose(const TransposeAttributes& attributes, const Types& inputs) {
  requireInputs(OpKind::Transpose, inputs, 1);
  std::vector<int> sorted = attributes.permutation;
  std::sort(sorted.begin(), sorted.end());
  bool valid = sorted.size() == inputs[0].shape.size();
  for (std::size_t d = 0; d < sorted.size(); ++d)
    valid = valid && sorted[d] == static_cast<int>(d);
  require(valid, fmt::format("[{}] is no permutation of the dimensions of {}",
                             fmt::join(attributes.permutation, ", "), shapeText(inputs[0].shape)));
  return {logicalShape(inputs[0].shape, attributes.permutation), inputs[0].type};
}

/// Operands 1, 2, ... must each hold one value per element of dimension `axis`.
TensorType inferNormalisation(OpKind kind, const Types& inputs, std::size_t count,
                              std::size_t axis) {
  requireInputs(kind, inputs, count);
  require(axis < inputs[0].shape.size(),
          fmt::format("the data {} has too few dimensions", shapeText(inputs[0].shape)));
  for (std::size_t i = 1; i < count; ++i)
    require(inputs[i].shape == Shape{inputs[0].shape[axis]},
            fmt::format("operand {} is {}, not [{}]", i, shapeText(inputs[i].shape),
                        inputs[0].shape[axis]));
  return inputs[0];
}

} // namespace

TensorType inferOutput(OpKind kind, const Attributes& attributes, const Types& inputs) {
  if (isBroadcasting(kind)) return inferBroadcast(kind, inputs);
  if (isUnary(kind)) {
    requireInputs(kind, inputs, 1);
    require((kind == OpKind::Not) == inputs[0].type.isBool(),
            fmt::format("{} of {}", name(kind), toString(inputs[0].type)));
    return {inputs[0].shape, computedType(inputs[0].type)};
  }
  if (isReduction(kind)) return inferReduce(kind, std::get<ReduceAttributes>(attributes), inputs);
  switch (kind) {
  case OpKind::Conv:
    return inferConv(std::get<ConvAttributes>(attributes), inputs);
  case OpKind::ConvTranspose:
    return inferConvTranspose(std::get<ConvAttributes>(attributes), inputs);
  case OpKind::MatMul:
    return inferMatMul(std::get<MatMulAttributes>(attributes), inputs);
  case OpKind::MaxPool:
  case OpKind::AveragePool: {
    requireInputs(kind, inputs, 1);
    const auto& pool = std::get<PoolAttributes>(attributes);
    return {windowShape(pool.window, inputs[0].shape, pool.layout, pool.ceiling), inputs[0].type};
  }
  case OpKind::GlobalAveragePool: {
    requireInputs(kind, inputs, 1);
    require(inputs[0].shape.size() >= 3, "the data has no spatial axes");
    TensorType result = inputs[0];
    const bool last = std::get<LayoutAttributes>(attributes).layout == TensorLayout::ChannelsLast;
    std::fill(result.shape.begin() + (last ? 1 : 2), result.shape.end() - (last ? 1 : 0), 1);
    return result;
  }
  case OpKind::Concat:
    return inferConcat(std::get<AxisAttributes>(attributes), inputs);
  case OpKind::Gather:
    return inferGather(std::get<AxisAttributes>(attributes), inputs);
  case OpKind::GatherElements:
    return inferGatherElements(std::get<AxisAttributes>(attributes), inputs);
  case OpKind::Pad:
    return inferPad(std::get<PadAttributes>(attributes), inputs);
  case OpKind::Transpose:
    return inferTranspose(std::get<TransposeAttributes>(attributes), inputs);
  case OpKind::BatchNorm:
    return inferNormalisation(kind, inputs, 5, 1);
  case OpKind::LayerNorm:
    require(!inputs.empty() && !inputs[0].shape.empty(), "LayerNorm takes data with dimensions");
    return inferNormalisation(kind, inputs, 3, inputs[0].shape.size() - 1);
  case OpKind::Softmax:
  case OpKind::LogSoftmax: {
    requireInputs(kind, inputs, 1);
    const int axis = std::get<AxisAttributes>(attributes).axis;
    require(axis + 1 == static_cast<int>(inputs[0].shape.size()),
            fmt::format("{} over axis {} of {}: only the last axis is supported", name(kind), axis,
                        shapeText(inputs[0].shape)));
    return inputs[0];
  }
  default:
    break;
  }
  NW_ASSERT(false, "the result of {} is stated, not inferred", name(kind));
  return {};
}

} // namespace nestwright
