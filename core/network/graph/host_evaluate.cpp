#include "core/network/graph/host_evaluate.h"

#include "core/network/graph/infer.h"
#include "core/network/graph/narrow_integers.h"
#include "core/network/graph/network_builder.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/tensor/half.h"

#include <array>
#include <cmath>
#include <utility>

namespace nestwright {

bool canEvaluate(OpKind kind) {
  return isUnary(kind) || isBroadcasting(kind) || isInjective(kind) || isReduction(kind);
}

namespace {

using Inputs = std::vector<ArrayPtr>;

std::size_t size(const Shape& shape) {
  return static_cast<std::size_t>(elementCount(shape));
}

/// Row-major strides of `in` as seen from the output shape under broadcasting: 0 where repeated.
Shape broadcastStrides(const Shape& in, const Shape& out) {
  Shape strides(out.size(), 0);
  std::int64_t stride = 1;
  for (std::size_t d = in.size(); d-- > 0; stride *= in[d])
    strides[out.size() - in.size() + d] = in[d] == 1 ? 0 : stride;
  return strides;
}

/// Calls f(flat output index, flat index of each operand) over the output shape in order.
template <std::size_t N, class F>
void forEach(const Shape& shape, const std::array<Shape, N>& strides,
             std::array<std::int64_t, N> at, const F& f) {
  Shape index(shape.size(), 0);
  const std::size_t count = size(shape);
  for (std::size_t flat = 0; flat < count; ++flat) {
    f(flat, at);
    for (std::size_t d = shape.size(); d-- > 0;) {
      for (std::size_t n = 0; n < N; ++n)
        at[n] += strides[n][d];
      if (++index[d] < shape[d]) break;
      for (std::size_t n = 0; n < N; ++n)
        at[n] -= strides[n][d] * shape[d];
      index[d] = 0;
    }
  }
}

/// The elements `from[start + strides]` in the order of `shape`: transposes, slices, expansions.
Array strided(const Array& from, const Shape& shape, const Shape& strides, std::int64_t start) {
  const auto pick = [&](const auto& elements) {
    std::decay_t<decltype(elements)> to(size(shape));
    forEach<1>(shape, {strides}, {start}, [&](std::size_t flat, const auto& at) {
      to[flat] = elements[static_cast<std::size_t>(at[0])];
    });
    return Array{shape, std::move(to)};
  };
  return std::visit(pick, from.data);
}

double applyReal(OpKind kind, double a, double b) {
  switch (kind) {
  case OpKind::Add:
    return a + b;
  case OpKind::Sub:
    return a - b;
  case OpKind::Mul:
    return a * b;
  case OpKind::Div:
    return a / b;
  case OpKind::Pow:
    return std::pow(a, b);
  case OpKind::Mod:
    return std::fmod(a, b);
  case OpKind::Min:
    return std::min(a, b);
  case OpKind::Max:
    return std::max(a, b);
  default:
    break;
  }
  NW_ASSERT(false, "{} is no binary operator", name(kind));
  return 0;
}

/// Overflow wraps around, as in a kernel.
template <class F>
std::int64_t wrapped(std::int64_t a, std::int64_t b, const F& f) {
  return static_cast<std::int64_t>(f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}

std::int64_t applyInteger(OpKind kind, std::int64_t a, std::int64_t b) {
  switch (kind) {
  case OpKind::Add:
    return wrapped(a, b, std::plus<>());
  case OpKind::Sub:
    return wrapped(a, b, std::minus<>());
  case OpKind::Mul:
    return wrapped(a, b, std::multiplies<>());
  case OpKind::Div:
    if (b == 0) throw InputError("a constant integer division by zero");
    return b == -1 ? wrapped(0, a, std::minus<>()) : a / b;
  case OpKind::Pow:
    return saturated(std::pow(a, b));
  case OpKind::Min:
    return std::min(a, b);
  case OpKind::Max:
    return std::max(a, b);
  case OpKind::And:
    return a & b;
  case OpKind::Or:
    return a | b;
  case OpKind::Mod: { // rounds down, so that the result has the divisor's sign
    if (b == 0) throw InputError("a constant integer division by zero");
    const std::int64_t rest = b == -1 ? 0 : a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  default:
    break;
  }
  NW_ASSERT(false, "{} is no binary operator", name(kind));
  return 0;
}

double applyUnary(const Node& node, double x) {
  switch (node.kind) {
  case OpKind::Relu:
    return std::max(x, 0.0);
  case OpKind::Clip:
    return std::clamp(x, node.as<ClipAttributes>().low, node.as<ClipAttributes>().high);
  case OpKind::Sqrt:
    return std::sqrt(x);
  case OpKind::Erf:
    return std::erf(x);
  case OpKind::Tanh:
    return std::tanh(x);
  case OpKind::Exp:
    return std::exp(x);
  case OpKind::Log:
    return std::log(x);
  case OpKind::Sigmoid:
    return 1 / (1 + std::exp(-x));
  case OpKind::Neg:
    return -x;
  case OpKind::Abs:
    return std::abs(x);
  case OpKind::Floor:
    return std::floor(x);
  case OpKind::Ceil:
    return std::ceil(x);
  case OpKind::Round:
    return std::nearbyint(x);
  case OpKind::Sin:
    return std::sin(x);
  case OpKind::Cos:
    return std::cos(x);
  case OpKind::Not:
    return x == 0;
  default:
    break;
  }
  NW_ASSERT(false, "{} is no function of one number", name(node.kind));
  return 0;
}

double realAt(const Array& a, std::int64_t i) {
  const auto at = static_cast<std::size_t>(i);
  return a.isFloat() ? a.floats()[at] : static_cast<double>(a.ints()[at]);
}

Array evaluateUnary(const Node& node, const Tensor& output, const Array& x) {
  const std::int64_t count = elementCount(x.shape);
  const auto each = [&](auto element) {
    std::vector<decltype(element(0))> to;
    to.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
      to.push_back(element(i));
    return Array{x.shape, std::move(to)};
  };
  if (node.kind == OpKind::Cast && !output.type.isFloat()) {
    if (!x.isFloat())
      return output.type.isBool() ? each([&](std::int64_t i) -> std::int64_t {
        return x.ints()[static_cast<std::size_t>(i)] != 0;
      })
                                  : x;
    return each([&](std::int64_t i) -> std::int64_t {
      return output.type.isBool() ? realAt(x, i) != 0 : saturatedTo(output.type, realAt(x, i));
    });
  }
  if (node.kind == OpKind::Cast)
    return each(
        [&](std::int64_t i) { return static_cast<float>(roundedTo(realAt(x, i), output.type)); });
  if (x.isFloat())
    return each([&](std::int64_t i) { return static_cast<float>(applyUnary(node, realAt(x, i))); });
  return each([&](std::int64_t i) { return saturated(applyUnary(node, realAt(x, i))); });
}

Array evaluateBinary(OpKind kind, const Shape& shape, const Array& a, const Array& b) {
  const std::array<Shape, 2> strides{broadcastStrides(a.shape, shape),
                                     broadcastStrides(b.shape, shape)};
  if (kind == OpKind::Equal || kind == OpKind::Less || kind == OpKind::LessOrEqual) {
    const auto compare = [kind](const auto& x, const auto& y) {
      return kind == OpKind::Equal ? x == y : kind == OpKind::Less ? x < y : x <= y;
    };
    std::vector<std::int64_t> to(size(shape));
    std::visit(
        [&](const auto& x, const auto& y) {
          forEach<2>(shape, strides, {0, 0}, [&](std::size_t flat, const auto& at) {
            const auto l = x[static_cast<std::size_t>(at[0])];
            const auto r = y[static_cast<std::size_t>(at[1])];
            using Common = std::conditional_t<std::is_same_v<decltype(l), decltype(r)>,
                                              std::decay_t<decltype(l)>, double>;
            to[flat] = compare(static_cast<Common>(l), static_cast<Common>(r)) ? 1 : 0;
          });
        },
        a.data, b.data);
    return {shape, std::move(to)};
  }
  if (!a.isFloat() && !b.isFloat()) {
    std::vector<std::int64_t> to(size(shape));
    forEach<2>(shape, strides, {0, 0}, [&](std::size_t flat, const auto& at) {
      to[flat] = applyInteger(kind, a.ints()[static_cast<std::size_t>(at[0])],
                              b.ints()[static_cast<std::size_t>(at[1])]);
    });
    return {shape, std::move(to)};
  }
  std::vector<float> to(size(shape));
  forEach<2>(shape, strides, {0, 0}, [&](std::size_t flat, const auto& at) {
    to[flat] = static_cast<float>(applyReal(kind, realAt(a, at[0]), realAt(b, at[1])));
  });
  return {shape, std::move(to)};
}

Array evaluateWhere(const Shape& shape, const Inputs& inputs) {
  const Array &condition = *inputs[0], &a = *inputs[1], &b = *inputs[2];
  const std::array<Shape, 3> strides{broadcastStrides(condition.shape, shape),
                                     broadcastStrides(a.shape, shape),
                                     broadcastStrides(b.shape, shape)};
  const auto pick = [&](const auto& yes) {
    using Elements = std::decay_t<decltype(yes)>;
    const auto& no = std::get<Elements>(b.data);
    Elements to(size(shape));
    forEach<3>(shape, strides, {0, 0, 0}, [&](std::size_t flat, const auto& at) {
      to[flat] = realAt(condition, at[0]) != 0 ? yes[static_cast<std::size_t>(at[1])]
                                               : no[static_cast<std::size_t>(at[2])];
    });
    return Array{shape, std::move(to)};
  };
  return std::visit(pick, a.data);
}

/// In float32 as in a kernel, so that the same halves are rounded.
Array evaluateQuantise(const Tensor& output, const Inputs& inputs) {
  const Array &x = *inputs[0], &scale = *inputs[1], &zero = *inputs[2];
  const std::array<Shape, 3> strides{broadcastStrides(x.shape, output.shape),
                                     broadcastStrides(scale.shape, output.shape),
                                     broadcastStrides(zero.shape, output.shape)};
  std::vector<std::int64_t> to(size(output.shape));
  forEach<3>(output.shape, strides, {0, 0, 0}, [&](std::size_t flat, const auto& at) {
    const float steps = x.floats()[static_cast<std::size_t>(at[0])] /
                        scale.floats()[static_cast<std::size_t>(at[1])];
    to[flat] = saturatedTo(output.type, std::nearbyint(steps) + realAt(zero, at[2]));
  });
  return {output.shape, std::move(to)};
}

Array evaluateDequantise(const Shape& shape, const Inputs& inputs) {
  const Array &x = *inputs[0], &scale = *inputs[1], &zero = *inputs[2];
  const std::array<Shape, 3> strides{broadcastStrides(x.shape, shape),
                                     broadcastStrides(scale.shape, shape),
                                     broadcastStrides(zero.shape, shape)};
  std::vector<float> to(size(shape));
  forEach<3>(shape, strides, {0, 0, 0}, [&](std::size_t flat, const auto& at) {
    const std::int64_t steps =
        x.ints()[static_cast<std::size_t>(at[0])] - zero.ints()[static_cast<std::size_t>(at[2])];
    to[flat] = static_cast<float>(steps) * scale.floats()[static_cast<std::size_t>(at[1])];
  });
  return {shape, std::move(to)};
}

Array evaluateSlice(const SliceAttributes& attributes, const Shape& shape, const Array& x) {
  Shape strides = broadcastStrides(x.shape, x.shape);
  std::int64_t start = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    start += attributes.starts[d] * strides[d];
    strides[d] *= attributes.steps[d];
  }
  return strided(x, shape, strides, start);
}

Array evaluateConcat(std::size_t axis, const Shape& shape, const Inputs& inputs) {
  const std::int64_t outer =
      elementCount(Shape(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis)));
  const auto join = [&](const auto& first) {
    using Elements = std::decay_t<decltype(first)>;
    Elements to;
    to.reserve(size(shape));
    for (std::int64_t o = 0; o < outer; ++o)
      for (const ArrayPtr& input : inputs) {
        const Elements& from = std::get<Elements>(input->data);
        const auto run = static_cast<std::ptrdiff_t>(from.size()) / outer;
        to.insert(to.end(), from.begin() + o * run, from.begin() + (o + 1) * run);
      }
    return Array{shape, std::move(to)};
  };
  return std::visit(join, inputs[0]->data);
}

Array evaluateGather(int axis, const Shape& shape, const Array& x, const Array& indices) {
  const auto split = x.shape.begin() + axis;
  const std::int64_t outer = elementCount(Shape(x.shape.begin(), split));
  const std::int64_t inner = elementCount(Shape(split + 1, x.shape.end()));
  const std::int64_t extent = *split;
  const auto pick = [&](const auto& from) {
    std::decay_t<decltype(from)> to;
    to.reserve(size(shape));
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t index : indices.ints()) {
        if (index < -extent || index >= extent)
          throw InputError(fmt::format("Gather: the index {} is out of range for {}", index,
                                       quantity(extent, "element")));
        index += index < 0 ? extent : 0;
        const auto begin = from.begin() + (o * extent + index) * inner;
        to.insert(to.end(), begin, begin + inner);
      }
    return Array{shape, std::move(to)};
  };
  return std::visit(pick, x.data);
}

Array evaluateGatherElements(std::size_t axis, const Array& x, const Array& indices) {
  const Shape& shape = indices.shape;
  Shape strides = broadcastStrides(x.shape, x.shape);
  const std::int64_t extent = x.shape[axis];
  const std::int64_t stride = std::exchange(strides[axis], 0);
  for (std::size_t d = 0; d < shape.size(); ++d) // indices may be shorter than the data
    if (x.shape[d] == 1) strides[d] = 0;
  const auto pick = [&](const auto& from) {
    std::decay_t<decltype(from)> to(size(shape));
    forEach<1>(shape, {strides}, {0}, [&](std::size_t flat, const auto& at) {
      std::int64_t index = indices.ints()[flat];
      if (index < -extent || index >= extent)
        throw InputError(
            fmt::format("the index {} is out of range for {}", index, quantity(extent, "element")));
      index += index < 0 ? extent : 0;
      to[flat] = from[static_cast<std::size_t>(at[0] + index * stride)];
    });
    return Array{shape, std::move(to)};
  };
  return std::visit(pick, x.data);
}

Array evaluatePad(const PadAttributes& pad, const Shape& shape, const Array& x) {
  const Shape strides = broadcastStrides(x.shape, x.shape);
  const auto fill = [&](const auto& from) {
    using Elements = std::decay_t<decltype(from)>;
    Elements to(size(shape));
    Shape index(shape.size(), 0);
    for (auto& element : to) {
      std::int64_t at = 0;
      bool inside = true;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        std::int64_t i = index[d] - pad.before[d];
        const std::int64_t last = x.shape[d] - 1;
        inside = inside && i >= 0 && i <= last;
        if (pad.mode == PadAttributes::Mode::Reflect) i = i < 0 ? -i : i > last ? 2 * last - i : i;
        at += std::clamp<std::int64_t>(i, 0, last) * strides[d];
      }
      const bool constant = pad.mode == PadAttributes::Mode::Constant && !inside;
      element = constant ? static_cast<typename Elements::value_type>(pad.value)
                         : from[static_cast<std::size_t>(at)];
      for (std::size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];)
        index[d] = 0;
    }
    return Array{shape, std::move(to)};
  };
  return std::visit(fill, x.data);
}

Array evaluateReduce(const Node& node, const Tensor& output, const Array& x) {
  const auto& axes = node.as<ReduceAttributes>().axes;
  Shape kept = x.shape;
  for (const int axis : axes)
    kept[static_cast<std::size_t>(axis)] = 1;
  const Shape strides = broadcastStrides(kept, x.shape);
  const auto reduceAll = [&](const auto& from) {
    using Elements = std::decay_t<decltype(from)>;
    using Element = typename Elements::value_type;
    using Sum = std::conditional_t<std::is_same_v<Element, float>, double, std::int64_t>;
    const std::size_t count = size(kept);
    std::vector<Sum> sums(count, node.kind == OpKind::ReduceProd ? 1 : 0);
    std::vector<char> seen(count, 0);
    forEach<1>(x.shape, {strides}, {0}, [&](std::size_t flat, const auto& at) {
      const auto place = static_cast<std::size_t>(at[0]);
      const Sum value = from[flat];
      Sum& sum = sums[place];
      const bool isFirst = !std::exchange(seen[place], 1);
      if (node.kind == OpKind::ReduceProd)
        sum *= value;
      else if (node.kind == OpKind::ReduceMax)
        sum = isFirst ? value : std::max(sum, value);
      else if (node.kind == OpKind::ReduceMin)
        sum = isFirst ? value : std::min(sum, value);
      else
        sum += value;
    });
    Elements to;
    const Sum share = node.kind == OpKind::ReduceMean && count > 0
                          ? static_cast<Sum>(std::max<std::size_t>(from.size() / count, 1))
                          : 1;
    for (const Sum& sum : sums)
      to.push_back(static_cast<Element>(sum / share));
    return Array{output.shape, std::move(to)};
  };
  return std::visit(reduceAll, x.data);
}

} // namespace

Array evaluateNode(const Node& node, const Tensor& output, const Inputs& inputs) {
  const Array& x = *inputs[0];
  const Shape& shape = output.shape;
  switch (node.kind) {
  case OpKind::Reshape:
    return reshaped(x, shape);
  case OpKind::Transpose:
    return transposed(x, node.as<TransposeAttributes>().permutation);
  case OpKind::Expand:
    return strided(x, shape, broadcastStrides(x.shape, shape), 0);
  case OpKind::Slice:
    return evaluateSlice(node.as<SliceAttributes>(), shape, x);
  case OpKind::Concat:
    return evaluateConcat(static_cast<std::size_t>(node.as<AxisAttributes>().axis), shape, inputs);
  case OpKind::Gather:
    return evaluateGather(node.as<AxisAttributes>().axis, shape, x, *inputs[1]);
  case OpKind::GatherElements:
    return evaluateGatherElements(static_cast<std::size_t>(node.as<AxisAttributes>().axis), x,
                                  *inputs[1]);
  case OpKind::Pad:
    return evaluatePad(node.as<PadAttributes>(), shape, x);
  case OpKind::Where:
    return evaluateWhere(shape, inputs);
  case OpKind::QuantizeLinear:
    return evaluateQuantise(output, inputs);
  case OpKind::DequantizeLinear:
    return evaluateDequantise(shape, inputs);
  default:
    break;
  }
  if (isReduction(node.kind)) return wrappedTo(output.type, evaluateReduce(node, output, x));
  return wrappedTo(output.type, isUnary(node.kind)
                                    ? evaluateUnary(node, output, x)
                                    : evaluateBinary(node.kind, shape, x, *inputs[1]));
}

std::optional<Constant> foldedConstant(const Node& node, const Tensor& output,
                                       const std::function<const Tensor&(TensorId)>& tensor) {
  if (!canEvaluate(node.kind) || node.inputs.empty()) return std::nullopt;
  std::vector<Constant> constants;
  std::int64_t elements = elementCount(output.shape);
  for (const TensorId id : node.inputs) {
    if (!tensor(id).constant) return std::nullopt;
    constants.push_back(tensor(id).constant);
    elements = std::max(elements, elementCount(tensor(id).shape));
  }
  const Tensor result{output.name, output.shape, output.type, {}, false};
  const auto make = [node, result](const Inputs& arrays) {
    try {
      return evaluateNode(node, result, arrays);
    } catch (const InputError& error) {
      throw NodeError(node.name, node.kind, error.what());
    }
  };
  const Constant constant = Constant::derived(std::move(constants), make);
  return elements <= kSmallArray ? Constant::of(*constant.materialise()) : constant;
}

} // namespace nestwright
