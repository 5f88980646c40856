#include "core/network/graph/elementwise.h"

#include "core/network/graph/operators.h"
#include "core/support/error.h"

#include <limits>

namespace nestwright {

namespace {

Expr clip(const Expr& x, const ClipAttributes& limits) {
  constexpr double kNoLimit = std::numeric_limits<float>::max();
  Expr result = x;
  if (limits.high < kNoLimit) result = min(result, floatImm(limits.high, x->type));
  if (limits.low > -kNoLimit) result = max(result, floatImm(limits.low, x->type));
  return result;
}

/// Integers divide towards zero in networks.
Expr quotient(const Expr& x, const Expr& y) {
  if (x->type.isFloat()) return x / y;
  const Expr zero = zeroOf(x->type);
  const Expr roundsUp = notEqual(x < zero, y < zero) && notEqual(floorMod(x, y), zero);
  return floorDiv(x, y) + select(roundsUp, oneOf(x->type), zero);
}

Expr power(const Expr& base, const Expr& exponent) {
  if (exponent->kind == ExprKind::FloatImm && exponent->real == 2) return base * base;
  return call(Intrinsic::Pow, {base, cast(base->type, exponent)});
}

/// Steps from the zero point, halves to even; what is beyond the type's range is its end.
Expr quantised(const Expr& x, const Expr& scale, const Expr& zero, DataType type) {
  Expr place = call(Intrinsic::Round, {isNumber(scale, 1) ? x : x / scale});
  if (!isNumber(zero, 0)) place = place + cast(x->type, zero);
  const bool isSigned = type.code == DataType::Code::Int;
  const double low = isSigned ? -128 : 0, high = isSigned ? 127 : 255;
  return cast(type, max(min(place, floatImm(high, x->type)), floatImm(low, x->type)));
}

Expr dequantised(const Expr& x, const Expr& scale, const Expr& zero) {
  const Expr steps = isNumber(zero, 0) ? cast(kInt32, x) : cast(kInt32, x) - cast(kInt32, zero);
  const Expr value = cast(scale->type, steps);
  return isNumber(scale, 1) ? value : value * scale;
}

} // namespace

Expr elementwiseExpr(const Node& node, DataType outputType, const std::vector<Expr>& operands) {
  const Expr& x = operands[0];
  switch (node.kind) {
  case OpKind::Relu:
    return max(x, zeroOf(x->type));
  case OpKind::Clip:
    return clip(x, node.as<ClipAttributes>());
  case OpKind::Sqrt:
    return call(Intrinsic::Sqrt, {x});
  case OpKind::Erf:
    return call(Intrinsic::Erf, {x});
  case OpKind::Tanh:
    return call(Intrinsic::Tanh, {x});
  case OpKind::Exp:
    return call(Intrinsic::Exp, {x});
  case OpKind::Log:
    return call(Intrinsic::Log, {x});
  case OpKind::Sigmoid:
    return call(Intrinsic::Sigmoid, {x});
  case OpKind::Abs:
    return call(Intrinsic::Abs, {x});
  case OpKind::Floor:
    return call(Intrinsic::Floor, {x});
  case OpKind::Ceil:
    return call(Intrinsic::Ceil, {x});
  case OpKind::Round:
    return call(Intrinsic::Round, {x});
  case OpKind::Sin:
    return call(Intrinsic::Sin, {x});
  case OpKind::Cos:
    return call(Intrinsic::Cos, {x});
  case OpKind::Not:
    return logicalNot(x);
  case OpKind::Neg:
    return -x;
  case OpKind::Cast:
    return cast(outputType, x);
  case OpKind::Add:
    return x + operands[1];
  case OpKind::Sub:
    return x - operands[1];
  case OpKind::Mul:
    return x * operands[1];
  case OpKind::Div:
    return quotient(x, operands[1]);
  case OpKind::Pow:
    return power(x, operands[1]);
  case OpKind::Min:
    return min(x, operands[1]);
  case OpKind::Max:
    return max(x, operands[1]);
  case OpKind::Equal:
    return equal(x, operands[1]);
  case OpKind::Less:
    return x < operands[1];
  case OpKind::LessOrEqual:
    return x <= operands[1];
  case OpKind::And:
    return x && operands[1];
  case OpKind::Or:
    return x || operands[1];
  case OpKind::Mod:
    return x->type.isFloat() ? call(Intrinsic::Fmod, {x, operands[1]}) : floorMod(x, operands[1]);
  case OpKind::Where:
    return select(x, operands[1], operands[2]);
  case OpKind::QuantizeLinear:
    return quantised(x, operands[1], operands[2], outputType);
  case OpKind::DequantizeLinear:
    return dequantised(x, operands[1], operands[2]);
  default:
    break;
  }
  NW_ASSERT(false, "{} is not element-wise", name(node.kind));
  return {};
}

std::string stageName(OpKind kind) {
  switch (kind) {
  case OpKind::Relu:
  case OpKind::Clip:
    return "compute";
  case OpKind::Sub:
    return "T_subtract";
  case OpKind::Mul:
    return "T_multiply";
  case OpKind::Div:
    return "T_divide";
  case OpKind::Pow:
    return "T_power";
  case OpKind::Slice:
    return "T_strided_slice";
  case OpKind::Gather:
    return "T_take";
  case OpKind::Concat:
    return "T_concat";
  case OpKind::Expand:
    return "T_broadcast_to";
  default:
    break;
  }
  std::string text = name(kind);
  text[0] = static_cast<char>(std::tolower(text[0]));
  return fmt::format("T_{}", text);
}

namespace {

using Indices = std::vector<Expr>;

Indices transposedIndices(const std::vector<int>& permutation, const Indices& i) {
  Indices at(i.size());
  for (std::size_t d = 0; d < i.size(); ++d)
    at[static_cast<std::size_t>(permutation[d])] = i[d];
  return at;
}

Indices slicedIndices(const SliceAttributes& slice, const Indices& i) {
  Indices at;
  for (std::size_t d = 0; d < i.size(); ++d) {
    const Expr scaled = slice.steps[d] == 1 ? i[d] : i[d] * Expr(slice.steps[d]);
    at.push_back(slice.starts[d] == 0 ? scaled : scaled + Expr(slice.starts[d]));
  }
  return at;
}

/// Where an element of the reshaped tensor is. Dimensions that stay keep their index; the others go
/// through the position within their run of dimensions.
Indices reshapedIndices(const Shape& in, const Shape& out, const Indices& i) {
  Indices at;
  std::size_t d = 0, o = 0;
  while (d < in.size() || o < out.size()) {
    // The shortest runs with the same number of elements.
    std::size_t dEnd = d, oEnd = o;
    std::int64_t inCount = 1, outCount = 1;
    do {
      if (dEnd < in.size() && (inCount <= outCount || oEnd == out.size()))
        inCount *= in[dEnd++];
      else
        outCount *= out[oEnd++];
    } while (inCount != outCount);
    if (dEnd == d + 1 && oEnd == o + 1) {
      at.push_back(i[o]);
    } else {
      Expr position = Expr(0);
      for (std::size_t k = o; k < oEnd; ++k)
        position = k == o ? i[k] : position * Expr(out[k]) + i[k];
      std::int64_t inner = inCount;
      for (std::size_t k = d; k < dEnd; ++k) {
        inner /= in[k];
        const Expr outer = inner == 1 ? position : floorDiv(position, Expr(inner));
        at.push_back(in[k] == 1 ? Expr(0) : k == d ? outer : floorMod(outer, Expr(in[k])));
      }
    }
    d = dEnd;
    o = oEnd;
  }
  return at;
}

/// Negative indices count from the end; what is out of range reads the nearest element, so that no
/// input can make a kernel leave its buffers.
Expr safeIndex(const Expr& index, std::int64_t extent) {
  const Expr raw = cast(kInt64, index);
  const Expr wrapped = select(raw < Expr(0), raw + Expr(extent), raw);
  return max(min(wrapped, Expr(extent - 1)), Expr(0));
}

Expr gathered(const Op& data, const Op& indices, std::size_t axis, const Indices& i) {
  const std::int64_t extent = data->output->shape[axis];
  const std::size_t rank = indices->output->shape.size();
  const auto begin = i.begin() + static_cast<std::ptrdiff_t>(axis);
  const auto end = begin + static_cast<std::ptrdiff_t>(rank);
  Indices at(i.begin(), begin);
  at.push_back(safeIndex(read(indices, Indices(begin, end)), extent));
  at.insert(at.end(), end, i.end());
  return read(data, at);
}

Expr gatheredElement(const Op& data, const Op& indices, std::size_t axis, const Indices& i) {
  Indices at = i;
  at[axis] = safeIndex(read(indices, i), data->output->shape[axis]);
  return read(data, at);
}

/// Elements beyond a border are copies of elements inside.
Expr paddedElement(const PadAttributes& pad, const Op& data, const Indices& i) {
  const Shape& in = data->output->shape;
  Indices at = i;
  for (std::size_t d = 0; d < i.size(); ++d) {
    const Expr last(in[d] - 1);
    if (pad.before[d] != 0) {
      at[d] = at[d] - Expr(pad.before[d]);
      at[d] = max(at[d], pad.mode == PadAttributes::Mode::Edge ? Expr(0) : Expr(0) - at[d]);
    }
    if (pad.after[d] != 0)
      at[d] = min(at[d], pad.mode == PadAttributes::Mode::Edge ? last : last + last - at[d]);
  }
  return read(data, at);
}

Expr concatenated(const std::vector<Op>& inputs, std::size_t axis, const Indices& i) {
  Expr result;
  std::int64_t end = 0;
  for (const Op& input : inputs)
    end += input->output->shape[axis];
  for (std::size_t n = inputs.size(); n-- > 0;) {
    const std::int64_t start = end - inputs[n]->output->shape[axis];
    Indices at = i;
    if (start != 0) at[axis] = i[axis] - Expr(start);
    const Expr element = read(inputs[n], at);
    result = result ? ifThenElse(i[axis] < Expr(end), element, result) : element;
    end = start;
  }
  return result;
}

} // namespace

Op lowerInjective(const Node& node, const std::string& stage, const Shape& outputShape,
                  const std::vector<Op>& inputs) {
  if (node.kind == OpKind::Pad)
    if (const auto& attributes = node.as<PadAttributes>();
        attributes.mode == PadAttributes::Mode::Constant) {
      const DataType type = inputs[0]->output->type;
      const Expr value = type.isFloat()  ? floatImm(attributes.value, type)
                         : type.isBool() ? boolImm(attributes.value != 0)
                                         : intImm(saturated(attributes.value), type);
      Op padded = pad(inputs[0], attributes.before, attributes.after, value, stage, "ax");
      if (padded != inputs[0]) return padded; // without padding a copy, as any node is a stage
    }
  const auto body = [&](const Indices& i) {
    switch (node.kind) {
    case OpKind::Reshape:
      return read(inputs[0], reshapedIndices(inputs[0]->output->shape, outputShape, i));
    case OpKind::Transpose:
      return read(inputs[0], transposedIndices(node.as<TransposeAttributes>().permutation, i));
    case OpKind::Slice:
      return read(inputs[0], slicedIndices(node.as<SliceAttributes>(), i));
    case OpKind::Expand:
      return broadcastRead(inputs[0], i, outputShape);
    case OpKind::Gather:
      return gathered(inputs[0], inputs[1],
                      static_cast<std::size_t>(node.as<AxisAttributes>().axis), i);
    case OpKind::GatherElements:
      return gatheredElement(inputs[0], inputs[1],
                             static_cast<std::size_t>(node.as<AxisAttributes>().axis), i);
    case OpKind::Pad:
      return paddedElement(node.as<PadAttributes>(), inputs[0], i);
    case OpKind::Concat:
      return concatenated(inputs, static_cast<std::size_t>(node.as<AxisAttributes>().axis), i);
    default:
      break;
    }
    NW_ASSERT(false, "{} moves no elements", name(node.kind));
    return Expr();
  };
  return compute(stage, outputShape, body, axisNames(outputShape.size()));
}

namespace {

std::pair<const char*, Reducer> reducerOf(OpKind kind) {
  switch (kind) {
  case OpKind::ReduceMax:
    return {"T_max_red", Reducer::Max};
  case OpKind::ReduceMin:
    return {"T_min_red", Reducer::Min};
  case OpKind::ReduceProd:
    return {"T_prod_red", Reducer::Product};
  default:
    return {"T_sum_red", Reducer::Sum};
  }
}

} // namespace

Op lowerReduce(const Node& node, const Shape& outputShape, const Op& input) {
  const auto& attributes = node.as<ReduceAttributes>();
  const Shape& in = input->output->shape;
  std::vector<NamedExtent> axes;
  std::int64_t count = 1;
  std::vector<int> reduceIndex(in.size(), -1);
  for (const int axis : attributes.axes) {
    const auto d = static_cast<std::size_t>(axis);
    reduceIndex[d] = static_cast<int>(axes.size());
    axes.push_back({fmt::format("k{}", axis), in[d]});
    count *= in[d];
  }
  const auto [stage, reducer] = reducerOf(node.kind);
  Op result = reduce(
      stage, reducer, outputShape, axes,
      [&](const Indices& i, const Indices& r) {
        Indices at;
        std::size_t next = 0;
        for (std::size_t d = 0; d < in.size(); ++d) {
          const bool reduced = reduceIndex[d] >= 0;
          at.push_back(reduced ? r[static_cast<std::size_t>(reduceIndex[d])] : i[next]);
          next += !reduced || attributes.keepDimensions ? 1 : 0;
        }
        return read(input, at);
      },
      axisNames(outputShape.size()));
  if (node.kind != OpKind::ReduceMean) return result;
  return compute(
      "T_mean", outputShape,
      [&](const Indices& i) {
        return read(result, i) / floatImm(static_cast<double>(count), input->output->type);
      },
      axisNames(outputShape.size()));
}

Op lowerBatchNorm(const Node& node, const std::vector<Op>& inputs) {
  const Op& data = inputs[0];
  const double epsilon = node.as<BatchNormAttributes>().epsilon;
  return compute(
      "T_batch_norm", data->output->shape,
      [&](const Indices& i) {
        const auto channel = [&](std::size_t n) { return read(inputs[n], {i[1]}); };
        const Expr deviation =
            call(Intrinsic::Sqrt, {channel(4) + floatImm(epsilon, data->output->type)});
        return (read(data, i) - channel(3)) / deviation * channel(1) + channel(2);
      },
      axisNames(data->output->shape.size()));
}

} // namespace nestwright
