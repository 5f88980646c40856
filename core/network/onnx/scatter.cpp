// ONNX operators that put updates at places of their data. There is no such kernel: each element of
// the result looks for the update that hits it. Where the places are constant, as in the masks that
// exporters write slice by slice, that is known at import and costs nothing but a look-up.

#include "core/network/onnx/onnx_context.h"
#include "core/support/quantity.h"

namespace nestwright::onnx_import {

namespace {

using Outputs = std::vector<TensorId>;

enum class Reduction : std::uint8_t { None, Add, Multiply };

Reduction readReduction(NodeImport& node) {
  const std::string name = node.text("reduction", "none");
  if (name == "none") return Reduction::None;
  if (name == "add") return Reduction::Add;
  if (name == "mul") return Reduction::Multiply;
  node.fail(fmt::format("the reduction '{}' is not known; there is none, add, mul", name));
}

/// What an update that is not there would be.
TensorId neutral(NodeImport& node, Reduction reduction) {
  return node.number(reduction == Reduction::Multiply ? 1 : 0, node.type(0));
}

/// The data with all updates to each element, which are along one axis of `updates`, worked in.
TensorId workedIn(NodeImport& node, Reduction reduction, TensorId data, TensorId updates,
                  int axis) {
  const bool adds = reduction == Reduction::Add;
  const TensorId all = node.emit(adds ? OpKind::ReduceSum : OpKind::ReduceProd, {updates},
                                 ReduceAttributes{{axis}, false});
  return node.emit(adds ? OpKind::Add : OpKind::Mul, {data, all});
}

/// data [rows, inner] with the updates [count, inner] put at constant rows, the last of equal ones.
TensorId putAt(NodeImport& node, TensorId data, TensorId updates, const Shape& places) {
  const std::int64_t rows = node.builder().tensor(data).shape[0];
  node.builder().requireRoom({rows}, kInt64);
  std::vector<std::int64_t> hit(static_cast<std::size_t>(rows), 0), source(hit.size(), 0);
  for (std::size_t u = 0; u < places.size(); ++u) {
    hit[static_cast<std::size_t>(places[u])] = 1;
    source[static_cast<std::size_t>(places[u])] = static_cast<std::int64_t>(u);
  }
  const TensorId picked =
      node.emit(OpKind::Gather, {updates, node.constant({rows}, source)}, AxisAttributes{0});
  return node.emit(OpKind::Where, {node.constant({rows, 1}, hit, kBool), picked, data});
}

/// data [rows, inner] with the updates [count, inner] worked in at constant rows: each row looks up
/// as many updates as the busiest one gets.
TensorId workInAt(NodeImport& node, Reduction reduction, TensorId data, TensorId updates,
                  const Shape& places) {
  const Shape shape = node.builder().tensor(data).shape;
  const std::int64_t rows = shape[0], inner = shape[1];
  node.builder().requireRoom({rows}, kInt64);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(rows), 0);
  std::int64_t most = 0;
  for (const std::int64_t place : places)
    most = std::max(most, ++counts[static_cast<std::size_t>(place)]);
  node.builder().requireRoom({2, rows, most}, kInt64);
  const auto entries = static_cast<std::size_t>(rows * most);
  std::vector<std::int64_t> hit(entries, 0), source(entries, 0);
  for (std::size_t u = places.size(); u-- > 0;) {
    const auto entry =
        static_cast<std::size_t>(places[u] * most + --counts[static_cast<std::size_t>(places[u])]);
    hit[entry] = 1;
    source[entry] = static_cast<std::int64_t>(u);
  }
  const TensorId picked = node.emitReshape(
      node.emit(OpKind::Gather, {updates, node.constant({rows * most}, source)}, AxisAttributes{0}),
      {rows, most, inner});
  const TensorId chosen = node.emit(OpKind::Where, {node.constant({rows, most, 1}, hit, kBool),
                                                    picked, neutral(node, reduction)});
  return workedIn(node, reduction, data, chosen, 1);
}

TensorId scatteredAt(NodeImport& node, TensorId data, TensorId updates, const Shape& places) {
  const Reduction reduction = readReduction(node);
  if (places.empty()) return data;
  return reduction == Reduction::None ? putAt(node, data, updates, places)
                                      : workInAt(node, reduction, data, updates, places);
}

/// Indices that may count from the end, as constants.
std::int64_t wrapped(NodeImport& node, std::int64_t index, std::int64_t extent) {
  if (index < -extent || index >= extent)
    node.fail(
        fmt::format("the index {} is out of range for {}", index, quantity(extent, "element")));
  return index < 0 ? index + extent : index;
}

/// The largest position, along the last axis, at which `hit` is true; -1 where there is none.
TensorId lastHit(NodeImport& node, TensorId hit) {
  const Shape shape = node.builder().tensor(hit).shape;
  const TensorId positions =
      node.emit(OpKind::Where, {hit, node.positions(shape.back()), node.number(-1, kInt64)});
  return node.emit(OpKind::ReduceMax, {positions},
                   ReduceAttributes{{static_cast<int>(shape.size()) - 1}, false});
}

TensorId notNegative(NodeImport& node, TensorId x) {
  return node.emit(OpKind::Max, {x, node.number(0, kInt64)});
}

TensorId isHit(NodeImport& node, TensorId last) {
  return node.emit(OpKind::LessOrEqual, {node.number(0, kInt64), last});
}

/// data [rows, inner] with the updates [count, inner] at rows that only a run knows.
TensorId scatteredRows(NodeImport& node, TensorId data, TensorId updates, TensorId places) {
  const Reduction reduction = readReduction(node);
  const Shape shape = node.builder().tensor(data).shape;
  const std::int64_t rows = shape[0], inner = shape[1];
  const std::int64_t count = node.builder().tensor(updates).shape[0];
  const TensorId hit =
      node.emit(OpKind::Equal, {node.emitReshape(places, {1, count}), node.positions(rows, 1)});
  if (reduction == Reduction::None) {
    const TensorId last = lastHit(node, hit);
    const TensorId picked =
        node.emit(OpKind::Gather, {updates, notNegative(node, last)}, AxisAttributes{0});
    return node.emit(OpKind::Where, {node.emitReshape(isHit(node, last), {rows, 1}), picked, data});
  }
  const TensorId chosen = node.emit(OpKind::Where, {node.emitReshape(hit, {rows, count, 1}),
                                                    node.emitReshape(updates, {1, count, inner}),
                                                    neutral(node, reduction)});
  return workedIn(node, reduction, data, chosen, 1);
}

Outputs importScatterNd(NodeImport& node) {
  const Shape data = node.shape(0), indices = node.shape(1);
  const std::int64_t depth = indices.empty() ? 0 : indices.back();
  if (depth < 1 || depth > static_cast<std::int64_t>(data.size()))
    node.fail(fmt::format("indices [{}] do not fit data [{}]", fmt::join(indices, ", "),
                          fmt::join(data, ", ")));
  const Shape extents(data.begin(), data.begin() + depth);
  const std::int64_t inner = elementCount(Shape(data.begin() + depth, data.end()));
  const std::int64_t count = elementCount(Shape(indices.begin(), indices.end() - 1));
  if (elementCount(node.shape(2)) != count * inner)
    node.fail(fmt::format("updates [{}] do not fit the indices", fmt::join(node.shape(2), ", ")));
  if (elementCount(data) == 0 || count == 0) return {node.input(0)};
  const TensorId rows = node.emitReshape(node.input(0), {elementCount(extents), inner});
  const TensorId updates = node.emitReshape(node.input(2), {count, inner});
  if (!node.builder().tensor(node.input(1)).constant)
    return {node.emitReshape(
        scatteredRows(node, rows, updates, placesOf(node, node.input(1), extents)), data)};
  const std::vector<std::int64_t> values = node.constantInts(1);
  Shape places;
  for (std::int64_t u = 0; u < count; ++u) {
    std::int64_t place = 0;
    for (std::int64_t d = 0; d < depth; ++d) {
      const std::int64_t extent = extents[static_cast<std::size_t>(d)];
      place =
          place * extent + wrapped(node, values[static_cast<std::size_t>(u * depth + d)], extent);
    }
    places.push_back(place);
  }
  return {node.emitReshape(scatteredAt(node, rows, updates, places), data)};
}

/// The flat places in the data that constant indices along an axis name.
Shape elementPlaces(NodeImport& node, std::size_t axis) {
  const Shape data = node.shape(0), indices = node.shape(1);
  const std::vector<std::int64_t> values = node.constantInts(1);
  Shape places, index(indices.size(), 0);
  for (const std::int64_t value : values) {
    std::int64_t place = 0;
    for (std::size_t d = 0; d < data.size(); ++d)
      place = place * data[d] + (d == axis ? wrapped(node, value, data[d]) : index[d]);
    places.push_back(place);
    for (std::size_t d = indices.size(); d-- > 0 && ++index[d] == indices[d];)
      index[d] = 0;
  }
  return places;
}

/// Along the last axis of data [rows, extent], at places [rows, count] that only a run knows.
TensorId scatteredAlong(NodeImport& node, TensorId data, TensorId places, TensorId updates) {
  const Reduction reduction = readReduction(node);
  const Shape shape = node.builder().tensor(data).shape;
  const std::int64_t rows = shape[0], extent = shape[1];
  const std::int64_t count = node.builder().tensor(places).shape[1];
  const TensorId hit = node.emit(
      OpKind::Equal, {node.emitReshape(places, {rows, 1, count}), node.positions(extent, 1)});
  if (reduction == Reduction::None) {
    const TensorId last = lastHit(node, hit);
    const TensorId picked =
        node.emit(OpKind::GatherElements, {updates, notNegative(node, last)}, AxisAttributes{1});
    return node.emit(OpKind::Where, {isHit(node, last), picked, data});
  }
  const TensorId chosen = node.emit(
      OpKind::Where, {hit, node.emitReshape(updates, {rows, 1, count}), neutral(node, reduction)});
  return workedIn(node, reduction, data, chosen, 2);
}

/// Indices and updates may be shorter than the data: what is added to them hits nothing.
Outputs importScatterElements(NodeImport& node) {
  const Shape data = node.shape(0), indices = node.shape(1);
  const int axis = node.axis(node.integer("axis", 0), data.size());
  bool fits = indices.size() == data.size() && node.shape(2) == indices;
  for (std::size_t d = 0; fits && d < data.size(); ++d)
    fits = d == static_cast<std::size_t>(axis) || indices[d] <= data[d];
  if (!fits)
    node.fail(fmt::format("indices [{}] and updates [{}] do not fit data [{}]",
                          fmt::join(indices, ", "), fmt::join(node.shape(2), ", "),
                          fmt::join(data, ", ")));
  if (elementCount(data) == 0 || elementCount(indices) == 0) return {node.input(0)};
  if (node.builder().tensor(node.input(1)).constant) {
    const TensorId flat = node.emitReshape(node.input(0), {elementCount(data), 1});
    const TensorId updates = node.emitReshape(node.input(2), {elementCount(indices), 1});
    const Shape places = elementPlaces(node, static_cast<std::size_t>(axis));
    return {node.emitReshape(scatteredAt(node, flat, updates, places), data)};
  }
  PadAttributes rest{Shape(data.size(), 0), Shape(data.size(), 0)};
  std::vector<int> swap(data.size());
  for (std::size_t d = 0; d < data.size(); ++d) {
    swap[d] = static_cast<int>(d);
    if (static_cast<int>(d) != axis) rest.after[d] = data[d] - indices[d];
  }
  std::swap(swap[static_cast<std::size_t>(axis)], swap.back());
  const std::int64_t extent = data[static_cast<std::size_t>(axis)];
  const auto asRows = [&](TensorId x, std::int64_t columns) {
    return node.emitReshape(node.emitTranspose(x, swap), {elementCount(data) / extent, columns});
  };
  const auto padded = [&](TensorId x, double value) {
    rest.value = value;
    return rest.after == rest.before ? x : node.emit(OpKind::Pad, {x}, rest);
  };
  const std::int64_t count = indices[static_cast<std::size_t>(axis)];
  const TensorId raw = node.emitCast(node.input(1), kInt64);
  const TensorId places = node.emit(
      OpKind::Where,
      {node.emit(OpKind::Less, {raw, node.number(0, kInt64)}),
       node.emit(OpKind::Add, {raw, node.number(static_cast<double>(extent), kInt64)}), raw});
  const TensorId result =
      scatteredAlong(node, asRows(node.input(0), extent), asRows(padded(places, -1), count),
                     asRows(padded(node.input(2), 0), count));
  Shape swapped = data;
  std::swap(swapped[static_cast<std::size_t>(axis)], swapped.back());
  return {node.emitTranspose(node.emitReshape(result, swapped), swap)};
}

} // namespace

const std::map<std::string, Importer>& scatterImporters() {
  static const std::map<std::string, Importer> kTable = {
      {"ScatterND", importScatterNd},
      {"ScatterElements", importScatterElements},
      {"Scatter", importScatterElements},
  };
  return kTable;
}

} // namespace nestwright::onnx_import
