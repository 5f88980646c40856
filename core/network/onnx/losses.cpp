// ONNX losses: how far the scores of classes are from the class that each place has.

#include "core/network/graph/infer.h"
#include "core/network/onnx/onnx_context.h"

namespace nestwright::onnx_import {

namespace {

using Outputs = std::vector<TensorId>;

/// The logarithm of the softmax over axis 1.
TensorId logarithmOfShares(NodeImport& node, TensorId scores) {
  const int last = static_cast<int>(node.builder().tensor(scores).shape.size()) - 1;
  std::vector<int> swap;
  for (int d = 0; d <= last; ++d)
    swap.push_back(d);
  std::swap(swap[1], swap.back());
  const TensorId turned = last == 1 ? scores : node.emitTranspose(scores, swap);
  const TensorId result = node.emit(OpKind::LogSoftmax, {turned}, AxisAttributes{last});
  return last == 1 ? result : node.emitTranspose(result, swap);
}

/// Which places count, and the class of each, 0 where it does not; without an ignored class all do.
struct Targets {
  TensorId classes = -1;
  TensorId ignored = -1;
};

Targets readTargets(NodeImport& node, TensorId labels) {
  Targets targets{node.emitCast(labels, kInt64)};
  if (!node.has("ignore_index")) return targets;
  const auto ignored = static_cast<double>(node.integer("ignore_index", 0));
  targets.ignored = node.emit(OpKind::Equal, {targets.classes, node.number(ignored, kInt64)});
  targets.classes =
      node.emit(OpKind::Where, {targets.ignored, node.number(0, kInt64), targets.classes});
  return targets;
}

TensorId withoutIgnored(NodeImport& node, const Targets& targets, TensorId values) {
  if (targets.ignored < 0) return values;
  return node.emit(OpKind::Where, {targets.ignored, node.number(0), values});
}

TensorId total(NodeImport& node, TensorId values) {
  ReduceAttributes all{{}, false};
  for (std::size_t d = 0; d < node.builder().tensor(values).shape.size(); ++d)
    all.axes.push_back(static_cast<int>(d));
  return node.emit(OpKind::ReduceSum, {values}, all);
}

/// What each place counts in the mean.
TensorId countOf(NodeImport& node, const Targets& targets, TensorId weights) {
  if (weights >= 0) return total(node, weights);
  if (targets.ignored < 0)
    return node.number(
        static_cast<double>(elementCount(node.builder().tensor(targets.classes).shape)));
  return total(node, node.emitCast(node.emit(OpKind::Not, {targets.ignored}), kFloat32));
}

void requireShapes(NodeImport& node) {
  const Shape data = node.shape(0);
  Shape places = data;
  if (data.size() < 2) node.fail("the data has no axis of classes");
  places.erase(places.begin() + 1);
  if (node.shape(1) != places)
    node.fail(fmt::format("the classes {} do not fit the data {}: one a place is needed, {}",
                          shapeText(node.shape(1)), shapeText(data), shapeText(places)));
  if (!node.type(1).isInt()) node.fail("the classes are no integers");
  if (node.hasInput(2) && node.shape(2) != Shape{data[1]})
    node.fail(
        fmt::format("the weights {} do not fit {} classes", shapeText(node.shape(2)), data[1]));
}

/// -weight[class] * logarithm[class] at each place, and their sum or mean.
TensorId lossOf(NodeImport& node, TensorId logarithms) {
  const Targets targets = readTargets(node, node.input(1));
  const Shape places = node.shape(1);
  Shape along = places;
  along.insert(along.begin() + 1, 1);
  const TensorId picked =
      node.emit(OpKind::GatherElements, {logarithms, node.emitReshape(targets.classes, along)},
                AxisAttributes{1});
  TensorId losses = node.emit(OpKind::Neg, {node.emitReshape(picked, places)});
  TensorId weights = -1;
  if (node.hasInput(2)) {
    weights = withoutIgnored(
        node, targets,
        node.emit(OpKind::Gather, {node.input(2), targets.classes}, AxisAttributes{0}));
    losses = node.emit(OpKind::Mul, {losses, weights});
  }
  losses = withoutIgnored(node, targets, losses);
  const std::string reduction = node.text("reduction", "mean");
  if (reduction == "none") return losses;
  if (reduction == "sum") return total(node, losses);
  if (reduction != "mean")
    node.fail(fmt::format("the reduction '{}' is not known; there is none, sum, mean", reduction));
  return node.emit(OpKind::Div, {total(node, losses), countOf(node, targets, weights)});
}

Outputs importLogLikelihoodLoss(NodeImport& node) {
  requireShapes(node);
  return {lossOf(node, node.input(0))};
}

Outputs importCrossEntropyLoss(NodeImport& node) {
  requireShapes(node);
  const TensorId logarithms = logarithmOfShares(node, node.input(0));
  return {lossOf(node, logarithms), logarithms};
}

} // namespace

const std::map<std::string, Importer>& lossImporters() {
  static const std::map<std::string, Importer> kTable = {
      {"NegativeLogLikelihoodLoss", importLogLikelihoodLoss},
      {"SoftmaxCrossEntropyLoss", importCrossEntropyLoss},
  };
  return kTable;
}

} // namespace nestwright::onnx_import
