// ONNX activation functions, put together from simpler operators.

#include "core/network/onnx/onnx_context.h"

#include <limits>

namespace nestwright::onnx_import {

namespace {

using Outputs = std::vector<TensorId>;

constexpr double kNoLimit = std::numeric_limits<float>::max();

TensorId clipped(NodeImport& node, TensorId x, double low, double high) {
  return node.emit(OpKind::Clip, {x}, ClipAttributes{low, high});
}

TensorId scaled(NodeImport& node, TensorId x, double factor) {
  return node.emit(OpKind::Mul, {x, node.number(factor)});
}

TensorId shifted(NodeImport& node, TensorId x, double offset) {
  return node.emit(OpKind::Add, {x, node.number(offset)});
}

TensorId positivePart(NodeImport& node) {
  return node.emit(OpKind::Relu, {node.input(0)});
}

TensorId negativePart(NodeImport& node) {
  return clipped(node, node.input(0), -kNoLimit, 0);
}

/// clip(alpha * x + beta, 0, 1)
TensorId hardSigmoid(NodeImport& node, double alpha, double beta) {
  return clipped(node, shifted(node, scaled(node, node.input(0), alpha), beta), 0, 1);
}

Outputs importHardSigmoid(NodeImport& node) {
  return {hardSigmoid(node, node.real("alpha", 0.2), node.real("beta", 0.5))};
}

Outputs importHardSwish(NodeImport& node) {
  return {node.emit(OpKind::Mul, {node.input(0), hardSigmoid(node, 1.0 / 6, 0.5)})};
}

Outputs importLeakyRelu(NodeImport& node) {
  return {node.emit(OpKind::Add, {positivePart(node),
                                  scaled(node, negativePart(node), node.real("alpha", 0.01))})};
}

Outputs importPRelu(NodeImport& node) {
  const TensorId below = node.emit(OpKind::Mul, {negativePart(node), node.input(1)});
  return {node.emit(OpKind::Add, {positivePart(node), below})};
}

/// positive part + alpha * (exp(negative part / divisor) - 1)
TensorId exponentialUnit(NodeImport& node, double alpha, double divisor) {
  TensorId below = negativePart(node);
  if (divisor != 1) below = node.emit(OpKind::Div, {below, node.number(divisor)});
  below = shifted(node, node.emit(OpKind::Exp, {below}), -1);
  return node.emit(OpKind::Add, {positivePart(node), scaled(node, below, alpha)});
}

Outputs importElu(NodeImport& node) {
  return {exponentialUnit(node, node.real("alpha", 1), 1)};
}

Outputs importCelu(NodeImport& node) {
  const double alpha = node.real("alpha", 1);
  return {exponentialUnit(node, alpha, alpha)};
}

Outputs importSelu(NodeImport& node) {
  const double alpha = node.real("alpha", 1.67326319217681884765625);
  return {
      scaled(node, exponentialUnit(node, alpha, 1), node.real("gamma", 1.05070102214813232421875))};
}

/// log(1 + exp(x)) without overflow: positive part + log(1 + exp(-|x|)).
Outputs importSoftplus(NodeImport& node) {
  const TensorId magnitude = node.emit(OpKind::Abs, {node.input(0)});
  const TensorId small = node.emit(OpKind::Exp, {node.emit(OpKind::Neg, {magnitude})});
  return {node.emit(OpKind::Add,
                    {positivePart(node), node.emit(OpKind::Log, {shifted(node, small, 1)})})};
}

Outputs importSoftsign(NodeImport& node) {
  const TensorId magnitude = node.emit(OpKind::Abs, {node.input(0)});
  return {node.emit(OpKind::Div, {node.input(0), shifted(node, magnitude, 1)})};
}

Outputs importThresholdedRelu(NodeImport& node) {
  const TensorId limit = node.number(node.real("alpha", 1));
  const TensorId above = node.emit(OpKind::Less, {limit, node.input(0)});
  return {node.emit(OpKind::Where, {above, node.input(0), node.number(0)})};
}

/// x + bias below -lambd, x - bias above lambd, 0 between.
Outputs importShrink(NodeImport& node) {
  const double limit = node.real("lambd", 0.5), bias = node.real("bias", 0);
  const TensorId x = node.input(0);
  const TensorId above = node.emit(OpKind::Less, {node.number(limit), x});
  const TensorId below = node.emit(OpKind::Less, {x, node.number(-limit)});
  const TensorId rest = node.emit(OpKind::Where, {above, shifted(node, x, -bias), node.number(0)});
  return {node.emit(OpKind::Where, {below, shifted(node, x, bias), rest})};
}

} // namespace

const std::map<std::string, Importer>& activationImporters() {
  static const std::map<std::string, Importer> kTable = {
      {"HardSigmoid", importHardSigmoid},
      {"HardSwish", importHardSwish},
      {"LeakyRelu", importLeakyRelu},
      {"PRelu", importPRelu},
      {"Elu", importElu},
      {"Celu", importCelu},
      {"Selu", importSelu},
      {"Softplus", importSoftplus},
      {"Softsign", importSoftsign},
      {"ThresholdedRelu", importThresholdedRelu},
      {"Shrink", importShrink},
  };
  return kTable;
}

} // namespace nestwright::onnx_import
