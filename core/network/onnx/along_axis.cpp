// ONNX operators whose result at a place of an axis depends on what is before or behind it.

#include "core/network/graph/infer.h"
#include "core/network/onnx/onnx_context.h"
#include "core/support/quantity.h"

namespace nestwright::onnx_import {

namespace {

using Outputs = std::vector<TensorId>;

/// Each element of the result is a sum of its own: time grows with the square of the extent.
Outputs importCumSum(NodeImport& node) {
  const Shape in = node.shape(0);
  const double given = node.constantReal(1);
  const int axis = node.axis(saturated(given), in.size());
  const auto behind = in.size() - static_cast<std::size_t>(axis) - 1;
  const std::int64_t extent = in[static_cast<std::size_t>(axis)];
  if (elementCount(in) == 0) return {node.input(0)};
  node.builder().requireRoom({extent, extent}, kInt64);
  // From [.., extent, ..] to [.., 1, extent, ..], of which each place takes what is in front of it.
  Shape from = in;
  from.insert(from.begin() + axis, 1);
  const TensorId x = node.emitReshape(node.input(0), from);
  const TensorId place = node.positions(extent, behind + 1), other = node.positions(extent, behind);
  const bool isReverse = node.integer("reverse", 0) != 0;
  const OpKind order = node.integer("exclusive", 0) != 0 ? OpKind::Less : OpKind::LessOrEqual;
  const TensorId counts =
      isReverse ? node.emit(order, {place, other}) : node.emit(order, {other, place});
  const TensorId chosen = node.emit(OpKind::Where, {counts, x, node.number(0, node.type(0))});
  return {node.emit(OpKind::ReduceSum, {chosen}, ReduceAttributes{{axis + 1}, false})};
}

/// The first elements of each sequence, as many as operand 1 says, in reverse.
Outputs importReverseSequence(NodeImport& node) {
  const Shape in = node.shape(0);
  const int batch = node.axis(node.integer("batch_axis", 1), in.size());
  const int time = node.axis(node.integer("time_axis", 0), in.size());
  if (batch == time) node.fail("batch_axis and time_axis are the same");
  const std::int64_t count = in[static_cast<std::size_t>(batch)];
  if (node.shape(1) != Shape{count})
    node.fail(fmt::format("the lengths {} do not fit {}", shapeText(node.shape(1)),
                          quantity(count, "sequence")));
  Shape along(in.size(), 1);
  along[static_cast<std::size_t>(batch)] = count;
  const TensorId lengths = node.emitReshape(node.emitCast(node.input(1), kInt64), along);
  const TensorId place = node.positions(in[static_cast<std::size_t>(time)],
                                        in.size() - static_cast<std::size_t>(time) - 1);
  const TensorId last = node.emit(OpKind::Sub, {lengths, node.number(1, kInt64)});
  const TensorId mirrored = node.emit(OpKind::Sub, {last, place});
  const TensorId from =
      node.emit(OpKind::Where, {node.emit(OpKind::Less, {place, lengths}), mirrored, place});
  const TensorId each = node.folded(node.builder().expand(from, in, node.outputName()));
  return {node.emit(OpKind::GatherElements, {node.input(0), each}, AxisAttributes{time})};
}

} // namespace

const std::map<std::string, Importer>& alongAxisImporters() {
  static const std::map<std::string, Importer> kTable = {
      {"CumSum", importCumSum},
      {"ReverseSequence", importReverseSequence},
  };
  return kTable;
}

} // namespace nestwright::onnx_import
