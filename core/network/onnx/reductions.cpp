// ONNX operators that reduce axes.

#include "core/network/onnx/onnx_context.h"

#include <limits>

namespace nestwright::onnx_import {

namespace {

using Outputs = std::vector<TensorId>;

/// The axes and whether they stay; no axes when nothing is to be done.
ReduceAttributes readAxes(NodeImport& node) {
  const auto given = node.integersOrInput("axes", 1);
  ReduceAttributes reduce;
  reduce.keepDimensions = node.integer("keepdims", 1) != 0;
  if (given && !given->empty())
    for (const std::int64_t axis : *given)
      reduce.axes.push_back(node.axis(axis, node.rank(0)));
  else if (node.integer("noop_with_empty_axes", 0) == 0)
    for (std::size_t d = 0; d < node.rank(0); ++d)
      reduce.axes.push_back(static_cast<int>(d));
  std::sort(reduce.axes.begin(), reduce.axes.end());
  reduce.axes.erase(std::unique(reduce.axes.begin(), reduce.axes.end()), reduce.axes.end());
  return reduce;
}

TensorId reduced(NodeImport& node, OpKind kind, TensorId x, const ReduceAttributes& reduce) {
  return reduce.axes.empty() ? x : node.emit(kind, {x}, reduce);
}

TensorId square(NodeImport& node) {
  return node.emit(OpKind::Mul, {node.input(0), node.input(0)});
}

template <OpKind Kind>
Outputs importReduce(NodeImport& node) {
  return {reduced(node, Kind, node.input(0), readAxes(node))};
}

Outputs importReduceMean(NodeImport& node) {
  const ReduceAttributes reduce = readAxes(node);
  if (node.type(0).isFloat()) return {reduced(node, OpKind::ReduceMean, node.input(0), reduce)};
  std::int64_t count = 1;
  for (const int axis : reduce.axes)
    count *= node.shape(0)[static_cast<std::size_t>(axis)];
  if (count < 1) node.fail("the mean of nothing");
  const TensorId sum = reduced(node, OpKind::ReduceSum, node.input(0), reduce);
  return {node.emit(OpKind::Div, {sum, node.number(static_cast<double>(count), node.type(0))})};
}

Outputs importReduceL1(NodeImport& node) {
  const TensorId magnitude = node.emit(OpKind::Abs, {node.input(0)});
  return {reduced(node, OpKind::ReduceSum, magnitude, readAxes(node))};
}

Outputs importReduceL2(NodeImport& node) {
  const TensorId sum = reduced(node, OpKind::ReduceSum, square(node), readAxes(node));
  return {node.emit(OpKind::Sqrt, {sum})};
}

Outputs importReduceSumSquare(NodeImport& node) {
  return {reduced(node, OpKind::ReduceSum, square(node), readAxes(node))};
}

Outputs importReduceLogSum(NodeImport& node) {
  return {
      node.emit(OpKind::Log, {reduced(node, OpKind::ReduceSum, node.input(0), readAxes(node))})};
}

/// max + log(sum(exp(x - max))), which does not overflow.
Outputs importReduceLogSumExp(NodeImport& node) {
  ReduceAttributes reduce = readAxes(node);
  if (reduce.axes.empty()) return {node.input(0)};
  const TensorId largest = node.emit(OpKind::ReduceMax, {node.input(0)}, reduce);
  Shape kept = node.shape(0);
  for (const int axis : reduce.axes)
    kept[static_cast<std::size_t>(axis)] = 1;
  const TensorId centred = node.emit(OpKind::Sub, {node.input(0), node.emitReshape(largest, kept)});
  const TensorId sum = node.emit(OpKind::ReduceSum, {node.emit(OpKind::Exp, {centred})}, reduce);
  return {node.emit(OpKind::Add, {node.emit(OpKind::Log, {sum}), largest})};
}

template <bool Largest>
Outputs importExtremePosition(NodeImport& node) {
  const int axis = node.axis(node.integer("axis", 0), node.rank(0));
  const TensorId place = extremePosition(node, node.input(0), axis, Largest,
                                         node.integer("select_last_index", 0) != 0);
  if (node.integer("keepdims", 1) != 0) return {place};
  Shape shape = node.shape(0);
  shape.erase(shape.begin() + axis);
  return {node.emitReshape(place, shape)};
}

} // namespace

TensorId meanOver(NodeImport& node, TensorId x, const std::vector<int>& axes) {
  return reduced(node, OpKind::ReduceMean, x, ReduceAttributes{axes, true});
}

/// The smallest (largest) position where the element equals the extreme.
TensorId extremePosition(NodeImport& node, TensorId x, int axis, bool largest, bool lastOfEqual) {
  const ReduceAttributes reduce{{axis}, true};
  const Shape in = node.builder().tensor(x).shape;
  const std::int64_t extent = in[static_cast<std::size_t>(axis)];
  if (extent == 0) node.fail("the axis has no elements");
  const TensorId places = node.positions(extent, in.size() - static_cast<std::size_t>(axis) - 1);
  const TensorId extreme = node.emit(largest ? OpKind::ReduceMax : OpKind::ReduceMin, {x}, reduce);
  const TensorId hit = node.emit(OpKind::Equal, {x, extreme});
  const TensorId none = node.number(lastOfEqual ? 0.0 : static_cast<double>(extent - 1), kInt64);
  const TensorId place = node.emit(OpKind::Where, {hit, places, none});
  return node.emit(lastOfEqual ? OpKind::ReduceMax : OpKind::ReduceMin, {place}, reduce);
}

const std::map<std::string, Importer>& reductionImporters() {
  static const std::map<std::string, Importer> kTable = {
      {"ReduceSum", importReduce<OpKind::ReduceSum>},
      {"ReduceMean", importReduceMean},
      {"ReduceMax", importReduce<OpKind::ReduceMax>},
      {"ReduceMin", importReduce<OpKind::ReduceMin>},
      {"ReduceProd", importReduce<OpKind::ReduceProd>},
      {"ReduceL1", importReduceL1},
      {"ReduceL2", importReduceL2},
      {"ReduceSumSquare", importReduceSumSquare},
      {"ReduceLogSum", importReduceLogSum},
      {"ReduceLogSumExp", importReduceLogSumExp},
      {"ArgMax", importExtremePosition<true>},
      {"ArgMin", importExtremePosition<false>},
  };
  return kTable;
}

} // namespace nestwright::onnx_import
