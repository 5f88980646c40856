// ONNX operators that sort.

#include "core/network/onnx/onnx_context.h"
#include "core/support/quantity.h"

namespace nestwright::onnx_import {

namespace {

using Outputs = std::vector<TensorId>;

/// How many elements of each row [rows, extent] come before an element: better ones, and of equal
/// ones those in front. Time grows with the square of the extent.
TensorId ranks(NodeImport& node, TensorId x, bool largest) {
  const Shape shape = node.builder().tensor(x).shape;
  const std::int64_t rows = shape[0], extent = shape[1];
  const TensorId self = node.emitReshape(x, {rows, extent, 1});
  const TensorId other = node.emitReshape(x, {rows, 1, extent});
  const TensorId better =
      largest ? node.emit(OpKind::Less, {self, other}) : node.emit(OpKind::Less, {other, self});
  const TensorId place =
      node.emit(OpKind::Where, {node.emit(OpKind::Equal, {self, other}), node.positions(extent),
                                node.number(static_cast<double>(extent), kInt64)});
  const TensorId inFront = node.emit(OpKind::Less, {place, node.positions(extent, 1)});
  const TensorId before = node.emit(OpKind::Or, {better, inFront});
  return node.emit(OpKind::ReduceSum, {node.emitCast(before, kInt64)},
                   ReduceAttributes{{2}, false});
}

/// The first `k` of each row, sorted, and where they were.
Outputs importTopK(NodeImport& node) {
  const Shape in = node.shape(0);
  if (in.empty()) node.fail("the data has no axis");
  const int axis = node.axis(node.integer("axis", -1), in.size());
  const std::int64_t extent = in[static_cast<std::size_t>(axis)];
  const std::int64_t k =
      node.has("k") ? node.integer("k", 0) : static_cast<std::int64_t>(node.constantReal(1));
  if (k < 1 || k > extent)
    node.fail(fmt::format("the first {} of {}", k, quantity(extent, "element")));
  std::vector<int> swap(in.size());
  for (std::size_t d = 0; d < in.size(); ++d)
    swap[d] = static_cast<int>(d);
  std::swap(swap[static_cast<std::size_t>(axis)], swap.back());
  const std::int64_t rows = elementCount(in) / extent;
  const TensorId x = node.emitReshape(node.emitTranspose(node.input(0), swap), {rows, extent});
  const TensorId rank = ranks(node, x, node.integer("largest", 1) != 0);
  const TensorId hit =
      node.emit(OpKind::Equal, {node.emitReshape(rank, {rows, 1, extent}), node.positions(k, 1)});
  // The maximum stays within the row also where NaNs give one rank to several.
  const TensorId place =
      node.emit(OpKind::ReduceMax,
                {node.emit(OpKind::Where, {hit, node.positions(extent), node.number(0, kInt64)})},
                ReduceAttributes{{2}, false});
  Shape swapped = in;
  swapped[static_cast<std::size_t>(axis)] = in.back();
  swapped.back() = k;
  const auto back = [&](TensorId sorted) {
    return node.emitTranspose(node.emitReshape(sorted, swapped), swap);
  };
  const TensorId values = node.emit(OpKind::GatherElements, {x, place}, AxisAttributes{1});
  return {back(values), back(place)};
}

} // namespace

const std::map<std::string, Importer>& sortingImporters() {
  static const std::map<std::string, Importer> kTable = {{"TopK", importTopK}};
  return kTable;
}

} // namespace nestwright::onnx_import
