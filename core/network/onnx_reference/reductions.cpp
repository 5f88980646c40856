// ONNX operators that reduce axes, as the standard defines them.

#include "core/network/onnx_reference/reference_node.h"
#include "core/support/infinity.h"

#include <algorithm>
#include <cmath>

namespace nestwright::onnx_reference {

namespace {

struct Reduced {
  std::vector<bool> axes; // which go
  Shape kept, shape;      // with ones, and as the result has it
};

Reduced readAxes(const ReferenceNode& node) {
  const Shape& in = node.shape(0);
  const Shape given = node.integersOr("axes", 1);
  Reduced reduced{
      std::vector<bool>(in.size(), given.empty() && node.integer("noop_with_empty_axes", 0) == 0),
      in,
      {}};
  for (const std::int64_t axis : given)
    reduced.axes[node.axis(axis, in.size())] = true;
  for (std::size_t d = 0; d < in.size(); ++d) {
    if (reduced.axes[d]) reduced.kept[d] = 1;
    if (!reduced.axes[d] || node.integer("keepdims", 1) != 0)
      reduced.shape.push_back(reduced.kept[d]);
  }
  return reduced;
}

/// The numbers that go into each element of the result, in the type that sums are taken in.
template <class Number>
std::vector<std::vector<Number>> bundles(const Array& x, const Shape& kept) {
  std::vector<std::vector<Number>> all(at(elementCount(kept)));
  const std::vector<std::int64_t> places = positionsIn(kept, x.shape);
  std::visit(
      [&](const auto& from) {
        for (std::size_t i = 0; i < from.size(); ++i)
          all[at(places[i])].push_back(static_cast<Number>(from[i]));
      },
      x.data);
  return all;
}

/// f of the numbers that meet in each element.
template <class F>
Results reduce(const ReferenceNode& node, const F& f) {
  const Reduced reduced = readAxes(node);
  if (node[0].isFloat()) {
    std::vector<float> to;
    for (const std::vector<double>& numbers : bundles<double>(node[0], reduced.kept))
      to.push_back(static_cast<float>(f(numbers)));
    return {{reduced.shape, std::move(to)}};
  }
  std::vector<std::int64_t> to;
  for (const std::vector<std::int64_t>& numbers : bundles<std::int64_t>(node[0], reduced.kept))
    to.push_back(static_cast<std::int64_t>(f(numbers)));
  return {{reduced.shape, std::move(to)}};
}

/// start, and then f(so far, number) for each number.
template <class Numbers, class F>
auto accumulated(const Numbers& numbers, typename Numbers::value_type start, const F& f) {
  for (const auto number : numbers)
    start = f(start, number);
  return start;
}

Results sum(const ReferenceNode& node) {
  return reduce(node, [](const auto& numbers) {
    return accumulated(numbers, 0, [](auto a, auto b) { return a + b; });
  });
}

Results mean(const ReferenceNode& node) {
  return reduce(node, [](const auto& numbers) {
    using Number = typename std::decay_t<decltype(numbers)>::value_type;
    if constexpr (std::is_integral_v<Number>) (void)numbers.at(0); // there is no such mean of none
    return accumulated(numbers, 0, [](auto a, auto b) { return a + b; }) /
           static_cast<Number>(numbers.size());
  });
}

Results product(const ReferenceNode& node) {
  return reduce(node, [](const auto& numbers) {
    return accumulated(numbers, 1, [](auto a, auto b) { return a * b; });
  });
}

Results largest(const ReferenceNode& node) {
  return reduce(node, [](const auto& numbers) {
    return accumulated(numbers, numbers.at(0), [](auto a, auto b) { return std::max(a, b); });
  });
}

Results smallest(const ReferenceNode& node) {
  return reduce(node, [](const auto& numbers) {
    return accumulated(numbers, numbers.at(0), [](auto a, auto b) { return std::min(a, b); });
  });
}

Results magnitudes(const ReferenceNode& node) {
  return reduce(node, [](const auto& numbers) {
    return accumulated(numbers, 0, [](auto a, auto b) { return a + (b < 0 ? -b : b); });
  });
}

Results squares(const ReferenceNode& node) {
  return reduce(node, [](const auto& numbers) {
    return accumulated(numbers, 0, [](auto a, auto b) { return a + b * b; });
  });
}

Results euclidean(const ReferenceNode& node) {
  return reduce(node, [](const auto& numbers) {
    return std::sqrt(
        static_cast<double>(accumulated(numbers, 0, [](auto a, auto b) { return a + b * b; })));
  });
}

Results logSum(const ReferenceNode& node) {
  return reduce(node, [](const auto& numbers) {
    return std::log(
        static_cast<double>(accumulated(numbers, 0, [](auto a, auto b) { return a + b; })));
  });
}

Results logSumExp(const ReferenceNode& node) {
  return reduce(node, [](const auto& numbers) {
    double top = -kInfinity, total = 0;
    for (const auto number : numbers)
      top = std::max(top, static_cast<double>(number));
    for (const auto number : numbers)
      total += std::exp(static_cast<double>(number) - top);
    return top + std::log(total);
  });
}

template <bool Largest>
Results extremePosition(const ReferenceNode& node) {
  const Array& x = node[0];
  const std::size_t axis = node.axis(node.integer("axis", 0), x.shape.size());
  const bool last = node.integer("select_last_index", 0) != 0;
  const std::int64_t extent = x.shape[axis];
  const std::int64_t inner = extentBetween(x.shape, axis + 1, x.shape.size());
  const std::int64_t outer = extentBetween(x.shape, 0, axis);
  std::vector<std::int64_t> to;
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      std::int64_t best = 0;
      for (std::int64_t n = 1; n < extent; ++n) {
        const double now = realAt(x, (o * extent + n) * inner + i);
        const double before = realAt(x, (o * extent + best) * inner + i);
        if ((Largest ? now > before : now < before) || (last && now == before)) best = n;
      }
      to.push_back(best);
    }
  Shape shape = x.shape;
  if (node.integer("keepdims", 1) != 0)
    shape[axis] = 1;
  else
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return {{std::move(shape), std::move(to)}};
}

} // namespace

const Operators& reductionOperators() {
  static const Operators kTable = {
      {"ReduceSum", sum},
      {"ReduceMean", mean},
      {"ReduceProd", product},
      {"ReduceMax", largest},
      {"ReduceMin", smallest},
      {"ReduceL1", magnitudes},
      {"ReduceL2", euclidean},
      {"ReduceSumSquare", squares},
      {"ReduceLogSum", logSum},
      {"ReduceLogSumExp", logSumExp},
      {"ArgMax", extremePosition<true>},
      {"ArgMin", extremePosition<false>},
  };
  return kTable;
}

} // namespace nestwright::onnx_reference
