// ONNX operators that work element by element.

#include "core/network/onnx_context.h"

#include <limits>

namespace nestwright::onnx_import {

namespace {

using Outputs = std::vector<TensorId>;

template <OpKind Kind>
Outputs importUnary(NodeImport& node) {
  return {node.emit(Kind, {node.input(0)})};
}

template <OpKind Kind>
Outputs importBinary(NodeImport& node) {
  return {node.emit(Kind, {node.input(0), node.input(1)})};
}

/// Sum, Min and Max take any number of operands.
template <OpKind Kind>
Outputs importVariadic(NodeImport& node) {
  TensorId result = node.input(0);
  for (std::size_t i = 1; i < node.inputCount(); ++i)
    result = node.emit(Kind, {result, node.input(i)});
  return {result};
}

Outputs importClip(NodeImport& node) {
  constexpr double kLimit = std::numeric_limits<float>::max();
  ClipAttributes clip{node.real("min", -kLimit), node.real("max", kLimit)};
  if (node.hasInput(1)) clip.low = node.constantReal(1);
  if (node.hasInput(2)) clip.high = node.constantReal(2);
  if (clip.low > clip.high) node.fail("the lower limit is above the upper one");
  return {node.emit(OpKind::Clip, {node.input(0)}, clip)};
}

Outputs importWhere(NodeImport& node) {
  return {node.emit(OpKind::Where, {node.input(0), node.input(1), node.input(2)})};
}

Outputs importCast(NodeImport& node) {
  const DataType type = elementType(static_cast<int>(node.integer("to", 1)));
  return {node.folded(node.builder().cast(node.input(0), type, node.outputName()))};
}

Outputs importReciprocal(NodeImport& node) {
  return {node.emit(OpKind::Div, {node.builder().scalar(1), node.input(0)})};
}

/// clip(alpha * x + beta, 0, 1)
TensorId hardSigmoid(NodeImport& node, double alpha, double beta) {
  const auto constant = [&](double value) {
    return node.builder().scalar(static_cast<float>(value));
  };
  const TensorId scaled = node.emit(OpKind::Mul, {node.input(0), constant(alpha)});
  const TensorId shifted = node.emit(OpKind::Add, {scaled, constant(beta)});
  return node.emit(OpKind::Clip, {shifted}, ClipAttributes{0, 1});
}

Outputs importHardSigmoid(NodeImport& node) {
  return {hardSigmoid(node, node.real("alpha", 0.2), node.real("beta", 0.5))};
}

Outputs importHardSwish(NodeImport& node) {
  return {node.emit(OpKind::Mul, {node.input(0), hardSigmoid(node, 1.0 / 6, 0.5)})};
}

Outputs importLeakyRelu(NodeImport& node) {
  const TensorId slope = node.builder().scalar(static_cast<float>(node.real("alpha", 0.01)));
  const TensorId negative = node.emit(OpKind::Clip, {node.input(0)},
                                      ClipAttributes{-std::numeric_limits<float>::max(), 0});
  return {node.emit(OpKind::Add, {node.emit(OpKind::Relu, {node.input(0)}),
                                  node.emit(OpKind::Mul, {negative, slope})})};
}

/// Nothing happens in inference. The mask, a second output of Dropout, is not supported.
Outputs importNothing(NodeImport& node) {
  return {node.input(0)};
}

} // namespace

const std::map<std::string, Importer>& elementwiseImporters() {
  static const std::map<std::string, Importer> kTable = {
      {"Relu", importUnary<OpKind::Relu>},
      {"Sqrt", importUnary<OpKind::Sqrt>},
      {"Erf", importUnary<OpKind::Erf>},
      {"Tanh", importUnary<OpKind::Tanh>},
      {"Exp", importUnary<OpKind::Exp>},
      {"Log", importUnary<OpKind::Log>},
      {"Sigmoid", importUnary<OpKind::Sigmoid>},
      {"Neg", importUnary<OpKind::Neg>},
      {"Abs", importUnary<OpKind::Abs>},
      {"Add", importBinary<OpKind::Add>},
      {"Sub", importBinary<OpKind::Sub>},
      {"Mul", importBinary<OpKind::Mul>},
      {"Div", importBinary<OpKind::Div>},
      {"Pow", importBinary<OpKind::Pow>},
      {"Equal", importBinary<OpKind::Equal>},
      {"Sum", importVariadic<OpKind::Add>},
      {"Min", importVariadic<OpKind::Min>},
      {"Max", importVariadic<OpKind::Max>},
      {"Where", importWhere},
      {"Clip", importClip},
      {"Cast", importCast},
      {"Reciprocal", importReciprocal},
      {"HardSigmoid", importHardSigmoid},
      {"HardSwish", importHardSwish},
      {"LeakyRelu", importLeakyRelu},
      {"Identity", importNothing},
      {"Dropout", importNothing},
  };
  return kTable;
}

} // namespace nestwright::onnx_import
