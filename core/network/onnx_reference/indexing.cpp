// ONNX operators that look elements up, put them at places, and sort, as the standard defines them.

#include "core/network/onnx_reference/reference_node.h"
#include "core/support/quantity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestwright::onnx_reference {

namespace {

/// An index that may count from the end.
std::int64_t wrapped(const ReferenceNode& node, std::int64_t index, std::int64_t extent) {
  if (index < -extent || index >= extent)
    node.fail(
        fmt::format("the index {} is out of range for {}", index, quantity(extent, "element")));
  return index < 0 ? index + extent : index;
}

Results gather(const ReferenceNode& node) {
  const Shape& in = node.shape(0);
  const std::size_t axis = node.axis(node.integer("axis", 0), in.size());
  const Shape& indices = node.integersOf(1);
  Shape shape(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.end(), node.shape(1).begin(), node.shape(1).end());
  shape.insert(shape.end(), in.begin() + static_cast<std::ptrdiff_t>(axis) + 1, in.end());
  const std::int64_t inner = extentBetween(in, axis + 1, in.size());
  const auto count = static_cast<std::int64_t>(indices.size());
  return {picked(node[0], shape, [&](std::int64_t i) {
    const std::int64_t outer = i / inner / count;
    return (outer * in[axis] + wrapped(node, indices[at(i / inner % count)], in[axis])) * inner +
           i % inner;
  })};
}

/// The flat places in data of shape `in` that GatherElements and ScatterElements name.
std::vector<std::int64_t> elementPlaces(const ReferenceNode& node, const Shape& in) {
  const std::size_t axis = node.axis(node.integer("axis", 0), in.size());
  const Shape strides = stridesOf(in);
  const Shape& indices = node.integersOf(1);
  if (node.shape(1).size() != in.size()) node.fail("data and indices differ in rank");
  std::vector<std::int64_t> places;
  forEachIndex(node.shape(1), [&](const Shape& index) {
    std::int64_t place = 0;
    for (std::size_t d = 0; d < in.size(); ++d)
      place += strides[d] * (d == axis ? wrapped(node, indices[places.size()], in[d]) : index[d]);
    places.push_back(place);
  });
  return places;
}

Results gatherElements(const ReferenceNode& node) {
  const std::vector<std::int64_t> places = elementPlaces(node, node.shape(0));
  return {picked(node[0], node.shape(1), [&](std::int64_t i) { return places[at(i)]; })};
}

/// Where in data of shape `in` the slice begins that the index vector number `row` names.
std::int64_t slicePlace(const ReferenceNode& node, const Shape& in, std::int64_t row,
                        std::size_t batchAxes) {
  const Shape& indices = node.integersOf(1);
  const std::int64_t depth = node.shape(1).back();
  const Shape strides = stridesOf(in);
  std::int64_t place = 0;
  for (std::int64_t d = 0; d < depth; ++d)
    place += strides[batchAxes + at(d)] *
             wrapped(node, indices[at(row * depth + d)], in[batchAxes + at(d)]);
  return place;
}

void requireDepth(const ReferenceNode& node, const Shape& in, std::size_t batchAxes) {
  const Shape& indices = node.shape(1);
  if (indices.empty() || batchAxes >= indices.size() || batchAxes + at(indices.back()) > in.size())
    node.fail("the indices do not fit the data");
}

Results gatherNd(const ReferenceNode& node) {
  const Shape &in = node.shape(0), &indices = node.shape(1);
  const auto batchAxes = at(node.integer("batch_dims", 0));
  requireDepth(node, in, batchAxes);
  const std::size_t split = batchAxes + at(indices.back());
  const std::int64_t slice = extentBetween(in, split, in.size());
  const std::int64_t rows = extentBetween(indices, batchAxes, indices.size() - 1);
  const std::int64_t batch = extentBetween(in, batchAxes, in.size());
  Shape shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), in.begin() + static_cast<std::ptrdiff_t>(split), in.end());
  return {picked(node[0], shape, [&](std::int64_t i) {
    const std::int64_t row = i / slice;
    return row / rows * batch + slicePlace(node, in, row, batchAxes) + i % slice;
  })};
}

enum class Reduction : std::uint8_t { None, Add, Multiply, Max, Min };

Reduction readReduction(const ReferenceNode& node) {
  const std::string name = node.text("reduction", "none");
  if (name == "none") return Reduction::None;
  if (name == "add") return Reduction::Add;
  if (name == "mul") return Reduction::Multiply;
  if (name == "max") return Reduction::Max;
  if (name == "min") return Reduction::Min;
  node.fail(fmt::format("the reduction '{}' is not known", name));
}

template <class T>
T combined(Reduction reduction, T old, T update) {
  switch (reduction) {
  case Reduction::None:
    return update;
  case Reduction::Add:
    return old + update;
  case Reduction::Multiply:
    return old * update;
  case Reduction::Max:
    return std::max(old, update);
  case Reduction::Min:
    return std::min(old, update);
  }
  return update;
}

/// The data with update u at the flat place f(u), one after another.
template <class F>
Results scattered(const ReferenceNode& node, const F& place) {
  const Reduction reduction = readReduction(node);
  Array result = node[0];
  std::visit(
      [&](auto& to) {
        const auto& updates = std::get<std::decay_t<decltype(to)>>(node[2].data);
        for (std::size_t u = 0; u < updates.size(); ++u) {
          auto& element = to.at(at(place(static_cast<std::int64_t>(u))));
          element = combined(reduction, element, updates[u]);
        }
      },
      result.data);
  return {result};
}

Results scatterElements(const ReferenceNode& node) {
  const std::vector<std::int64_t> places = elementPlaces(node, node.shape(0));
  if (node.shape(2) != node.shape(1)) node.fail("indices and updates differ in shape");
  return scattered(node, [&](std::int64_t u) { return places[at(u)]; });
}

Results scatterNd(const ReferenceNode& node) {
  const Shape& in = node.shape(0);
  requireDepth(node, in, 0);
  const std::int64_t slice = extentBetween(in, at(node.shape(1).back()), in.size());
  const std::int64_t rows = extentBetween(node.shape(1), 0, node.shape(1).size() - 1);
  if (elementCount(node.shape(2)) != rows * slice) node.fail("the updates do not fit the indices");
  return scattered(node,
                   [&](std::int64_t u) { return slicePlace(node, in, u / slice, 0) + u % slice; });
}

/// Sorted by value, of equal ones the first in front.
Results topK(const ReferenceNode& node) {
  const Array& x = node[0];
  const std::size_t axis = node.axis(node.integer("axis", -1), x.shape.size());
  const std::int64_t count = node.has(1) ? node.integersOf(1).at(0) : node.integer("k", 0);
  const bool largest = node.integer("largest", 1) != 0;
  const std::int64_t extent = x.shape[axis];
  if (count < 0 || count > extent)
    node.fail(fmt::format("{} of {}", count, quantity(extent, "element")));
  Shape shape = x.shape;
  shape[axis] = count;
  const std::int64_t inner = extentBetween(x.shape, axis + 1, x.shape.size());
  const std::int64_t outer = extentBetween(x.shape, 0, axis);
  std::vector<std::int64_t> order(at(extent)), chosen(at(elementCount(shape)));
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      const auto value = [&](std::int64_t n) { return realAt(x, (o * extent + n) * inner + i); };
      std::iota(order.begin(), order.end(), std::int64_t{0});
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return largest ? value(a) > value(b) : value(a) < value(b);
      });
      for (std::int64_t n = 0; n < count; ++n)
        chosen[at((o * count + n) * inner + i)] = order[at(n)];
    }
  Array values = picked(x, shape, [&](std::int64_t p) {
    return (p / inner / count * extent + chosen[at(p)]) * inner + p % inner;
  });
  return {values, {shape, std::move(chosen)}};
}

} // namespace

const Operators& indexingOperators() {
  static const Operators kTable = {
      {"Gather", gather},
      {"GatherElements", gatherElements},
      {"GatherND", gatherNd},
      {"ScatterElements", scatterElements},
      {"Scatter", scatterElements},
      {"ScatterND", scatterNd},
      {"TopK", topK},
  };
  return kTable;
}

} // namespace nestwright::onnx_reference
