// ONNX operators that work element by element, as the standard defines them.

#include "core/network/onnx/onnx_context.h"
#include "core/network/onnx_reference/reference_node.h"
#include "core/tensor/half.h"

#include <cmath>
#include <functional>
#include <limits>

namespace nestwright::onnx_reference {

namespace {

template <auto F>
Results unary(const ReferenceNode& node) {
  return {mapReal(node[0], F)};
}

/// Functions that keep integers: F of a double or an int64.
template <class F>
Array mapSame(const Array& x, const F& f) {
  return std::visit(
      [&](const auto& from) {
        using Elements = std::decay_t<decltype(from)>;
        Elements to(from.size());
        for (std::size_t i = 0; i < from.size(); ++i)
          to[i] = static_cast<typename Elements::value_type>(f(from[i]));
        return Array{x.shape, std::move(to)};
      },
      x.data);
}

/// f(a, b) over broadcast operands: of doubles when one is real, otherwise of integers.
template <class Result, class F>
Array mapPairs(const ReferenceNode& node, const Array& a, const Array& b, const F& f) {
  const Shape shape = broadcast(node, a.shape, b.shape);
  const std::vector<std::int64_t> left = positionsIn(a.shape, shape);
  const std::vector<std::int64_t> right = positionsIn(b.shape, shape);
  std::vector<Result> to(left.size());
  const bool real = a.isFloat() || b.isFloat();
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<Result>(real ? f(realAt(a, left[i]), realAt(b, right[i]))
                                     : f(a.ints()[at(left[i])], b.ints()[at(right[i])]));
  return {shape, std::move(to)};
}

template <class F>
Array arithmetic(const ReferenceNode& node, const Array& a, const Array& b, const F& f) {
  return a.isFloat() || b.isFloat() ? mapPairs<float>(node, a, b, f)
                                    : mapPairs<std::int64_t>(node, a, b, f);
}

struct Sum {
  double operator()(double a, double b) const { return a + b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
};
struct Difference {
  double operator()(double a, double b) const { return a - b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  }
};
struct Product {
  double operator()(double a, double b) const { return a * b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
};
struct Smaller {
  template <class T>
  T operator()(T a, T b) const {
    return std::isnan(static_cast<double>(a)) || a < b ? a : b;
  }
};
struct Larger {
  template <class T>
  T operator()(T a, T b) const {
    return std::isnan(static_cast<double>(a)) || a > b ? a : b;
  }
};

template <class F>
Results binary(const ReferenceNode& node) {
  return {arithmetic(node, node[0], node[1], F())};
}

template <class F>
Results variadic(const ReferenceNode& node) {
  Array result = node[0];
  for (std::size_t i = 1; i < node.inputCount(); ++i)
    result = arithmetic(node, result, node[i], F());
  return {result};
}

Results meanOfInputs(const ReferenceNode& node) {
  const Array sum = variadic<Sum>(node)[0];
  const auto count = static_cast<double>(node.inputCount());
  return {mapReal(sum, [count](double x) { return x / count; })};
}

template <class F>
Results comparison(const ReferenceNode& node) {
  return {mapPairs<std::int64_t>(node, node[0], node[1], F())};
}

template <class F>
Results logical(const ReferenceNode& node) {
  return {mapPairs<std::int64_t>(
      node, node[0], node[1], [](auto a, auto b) -> std::int64_t { return F()(a != 0, b != 0); })};
}

void requireDivisor(const ReferenceNode& node) {
  const Array& divisor = node[1];
  if (divisor.isFloat()) return;
  for (const std::int64_t value : divisor.ints())
    if (value == 0) node.fail("an integer division by zero");
}

struct Quotient {
  double operator()(double a, double b) const { return a / b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return b == -1 ? Difference()(std::int64_t{0}, a) : a / b;
  }
};

Results divide(const ReferenceNode& node) {
  requireDivisor(node);
  return binary<Quotient>(node);
}

/// With the divisor's sign, or with fmod=1 that of the dividend.
Results modulo(const ReferenceNode& node) {
  requireDivisor(node);
  const bool asInC = node.integer("fmod", 0) != 0;
  struct Rest {
    bool asInC;
    double operator()(double a, double b) const { return std::fmod(a, b); }
    std::int64_t operator()(std::int64_t a, std::int64_t b) const {
      const std::int64_t rest = b == -1 ? 0 : a % b;
      return !asInC && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
  };
  return {arithmetic(node, node[0], node[1], Rest{asInC})};
}

/// Of the base's type.
Results power(const ReferenceNode& node) {
  const auto f = [](auto a, auto b) {
    return std::pow(static_cast<double>(a), static_cast<double>(b));
  };
  if (node[0].isFloat()) return {mapPairs<float>(node, node[0], node[1], f)};
  return {mapPairs<std::int64_t>(node, node[0], node[1],
                                 [f](auto a, auto b) { return saturated(f(a, b)); })};
}

Results where(const ReferenceNode& node) {
  const Shape shape = broadcast(node, broadcast(node, node.shape(0), node.shape(1)), node.shape(2));
  const std::vector<std::int64_t> choice = positionsIn(node.shape(0), shape);
  const std::vector<std::int64_t> yes = positionsIn(node.shape(1), shape);
  const std::vector<std::int64_t> no = positionsIn(node.shape(2), shape);
  return {std::visit(
      [&](const auto& a) {
        using Elements = std::decay_t<decltype(a)>;
        const auto& b = std::get<Elements>(node[2].data);
        Elements to(choice.size());
        for (std::size_t i = 0; i < to.size(); ++i)
          to[i] = node.integersOf(0)[at(choice[i])] != 0 ? a[at(yes[i])] : b[at(no[i])];
        return Array{shape, std::move(to)};
      },
      node[1].data)};
}

Results clip(const ReferenceNode& node) {
  Array result = node[0];
  const auto limit = [&](const char* name, std::size_t i, const auto& f) {
    if (node.has(i))
      result = arithmetic(node, result, node[i], f);
    else if (node.attribute(name))
      result = arithmetic(node, result,
                          {{}, std::vector<float>{static_cast<float>(node.real(name, 0))}}, f);
  };
  limit("min", 1, Larger());
  limit("max", 2, Smaller());
  return {result};
}

Array converted(const Array& x, DataType type) {
  if (type.isFloat()) return mapReal(x, [&](double value) { return roundedTo(value, type); });
  std::vector<std::int64_t> to(at(elementCount(x.shape)));
  for (std::size_t i = 0; i < to.size(); ++i) {
    const double real = realAt(x, static_cast<std::int64_t>(i));
    if (type.isBool())
      to[i] = real != 0;
    else if (!x.isFloat())
      to[i] = x.ints()[i];
    else
      to[i] = type.bits == 64 ? saturated(real) : saturatedTo(type, real);
  }
  return {x.shape, std::move(to)};
}

Results cast(const ReferenceNode& node) {
  return {converted(node[0], elementTypeOf(static_cast<int>(node.integer("to", 1))))};
}

Results castLike(const ReferenceNode& node) {
  return {converted(node[0], node.type(1))};
}

Results absolute(const ReferenceNode& node) {
  return {mapSame(node[0], [](auto x) { return x < 0 ? -x : x; })};
}

Results negative(const ReferenceNode& node) {
  return {mapSame(node[0], [](auto x) { return -x; })};
}

Results sign(const ReferenceNode& node) {
  return {mapSame(node[0], [](auto x) { return x > 0 ? 1 : x < 0 ? -1 : 0; })};
}

Results rectified(const ReferenceNode& node) {
  return {mapSame(node[0], [](auto x) { return x < 0 ? decltype(x)(0) : x; })};
}

template <class F>
Array truthOf(const Array& x, const F& f) {
  std::vector<std::int64_t> to(at(elementCount(x.shape)));
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = f(realAt(x, static_cast<std::int64_t>(i)));
  return {x.shape, std::move(to)};
}

Results logicalNot(const ReferenceNode& node) {
  return {truthOf(node[0], [](double x) { return x == 0; })};
}

Results isNan(const ReferenceNode& node) {
  return {truthOf(node[0], [](double x) { return std::isnan(x); })};
}

Results isInf(const ReferenceNode& node) {
  const bool positive = node.integer("detect_positive", 1) != 0;
  const bool below = node.integer("detect_negative", 1) != 0;
  return {truthOf(node[0], [=](double x) { return std::isinf(x) && (x > 0 ? positive : below); })};
}

Results identity(const ReferenceNode& node) {
  return {node[0]};
}

Results dropout(const ReferenceNode& node) {
  const double ratio = node.has(1) ? node.realOf(1) : 0.5;
  if (node.has(2) && node.realOf(2) != 0 && ratio != 0) node.fail("training mode is not supported");
  const std::vector<std::int64_t> ones(at(elementCount(node.shape(0))), 1);
  return {node[0], {node.shape(0), ones}};
}

} // namespace

const Operators& elementwiseOperators() {
  static const Operators kTable = {
      {"Sqrt", unary<[](double x) { return std::sqrt(x); }>},
      {"Erf", unary<[](double x) { return std::erf(x); }>},
      {"Tanh", unary<[](double x) { return std::tanh(x); }>},
      {"Exp", unary<[](double x) { return std::exp(x); }>},
      {"Log", unary<[](double x) { return std::log(x); }>},
      {"Floor", unary<[](double x) { return std::floor(x); }>},
      {"Ceil", unary<[](double x) { return std::ceil(x); }>},
      {"Round", unary<[](double x) { return std::nearbyint(x); }>},
      {"Sin", unary<[](double x) { return std::sin(x); }>},
      {"Cos", unary<[](double x) { return std::cos(x); }>},
      {"Tan", unary<[](double x) { return std::tan(x); }>},
      {"Sinh", unary<[](double x) { return std::sinh(x); }>},
      {"Cosh", unary<[](double x) { return std::cosh(x); }>},
      {"Asinh", unary<[](double x) { return std::asinh(x); }>},
      {"Acosh", unary<[](double x) { return std::acosh(x); }>},
      {"Atanh", unary<[](double x) { return std::atanh(x); }>},
      {"Reciprocal", unary<[](double x) { return 1 / x; }>},
      {"Relu", rectified},
      {"Abs", absolute},
      {"Neg", negative},
      {"Sign", sign},
      {"Not", logicalNot},
      {"IsNaN", isNan},
      {"IsInf", isInf},
      {"Add", binary<Sum>},
      {"Sub", binary<Difference>},
      {"Mul", binary<Product>},
      {"Div", divide},
      {"Mod", modulo},
      {"Pow", power},
      {"Equal", comparison<std::equal_to<>>},
      {"Less", comparison<std::less<>>},
      {"LessOrEqual", comparison<std::less_equal<>>},
      {"Greater", comparison<std::greater<>>},
      {"GreaterOrEqual", comparison<std::greater_equal<>>},
      {"And", logical<std::logical_and<>>},
      {"Or", logical<std::logical_or<>>},
      {"Xor", logical<std::not_equal_to<>>},
      {"Sum", variadic<Sum>},
      {"Mean", meanOfInputs},
      {"Min", variadic<Smaller>},
      {"Max", variadic<Larger>},
      {"Where", where},
      {"Clip", clip},
      {"Cast", cast},
      {"CastLike", castLike},
      {"Identity", identity},
      {"Dropout", dropout},
  };
  return kTable;
}

} // namespace nestwright::onnx_reference
