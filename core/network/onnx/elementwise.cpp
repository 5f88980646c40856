// ONNX operators that work element by element.

#include "core/network/onnx/onnx_context.h"

#include <cmath>
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

/// a > b is b < a.
template <OpKind Kind>
Outputs importSwapped(NodeImport& node) {
  return {node.emit(Kind, {node.input(1), node.input(0)})};
}

/// Sum, Min and Max take any number of operands.
template <OpKind Kind>
Outputs importVariadic(NodeImport& node) {
  TensorId result = node.input(0);
  for (std::size_t i = 1; i < node.inputCount(); ++i)
    result = node.emit(Kind, {result, node.input(i)});
  return {result};
}

Outputs importMean(NodeImport& node) {
  const TensorId sum = importVariadic<OpKind::Add>(node)[0];
  const auto count = static_cast<double>(node.inputCount());
  return {count == 1 ? sum : node.emit(OpKind::Div, {sum, node.number(count)})};
}

/// Limits that are not constant, and those of integers, are operators of their own.
Outputs importClip(NodeImport& node) {
  constexpr double kLimit = std::numeric_limits<float>::max();
  ClipAttributes clip{node.real("min", -kLimit), node.real("max", kLimit)};
  TensorId x = node.input(0);
  const auto isLimit = [&](std::size_t i) {
    return node.builder().tensor(node.input(i)).constant && node.type(0).isFloat();
  };
  if (node.hasInput(1)) {
    if (isLimit(1))
      clip.low = std::max(node.constantReal(1), -kLimit);
    else
      x = node.emit(OpKind::Max, {x, node.input(1)});
  }
  if (node.hasInput(2)) {
    // The upper limit wins where they cross, so it comes last.
    if (isLimit(2) && clip.low <= node.constantReal(2)) {
      clip.high = std::min(node.constantReal(2), kLimit);
    } else {
      if (clip.low > -kLimit) x = node.emit(OpKind::Clip, {x}, ClipAttributes{clip.low, kLimit});
      clip.low = -kLimit;
      x = node.emit(OpKind::Min, {x, node.input(2)});
    }
  }
  if (!(clip.low <= clip.high)) node.fail("the lower limit is above the upper one");
  const bool limited = clip.low > -kLimit || clip.high < kLimit;
  return {limited ? node.emit(OpKind::Clip, {x}, clip) : x};
}

Outputs importWhere(NodeImport& node) {
  return {node.emit(OpKind::Where, {node.input(0), node.input(1), node.input(2)})};
}

/// Halves are held in float32, which holds all of them: they are rounded once.
TensorId converted(NodeImport& node, int onnxType) {
  const TensorId x = node.input(0);
  if (onnxType == onnx::TensorProto::FLOAT16)
    return node.emitCast(node.emitCast(x, kFloat16), kFloat32);
  if (onnxType == onnx::TensorProto::BFLOAT16)
    return node.emitCast(node.emitCast(x, kBFloat16), kFloat32);
  return node.emitCast(x, elementType(onnxType));
}

Outputs importCast(NodeImport& node) {
  return {converted(node, static_cast<int>(node.integer("to", 1)))};
}

Outputs importCastLike(NodeImport& node) {
  if (const int type = node.declaredType(1); type != 0) return {converted(node, type)};
  return {node.emitCast(node.input(0), node.type(1))};
}

Outputs importReciprocal(NodeImport& node) {
  return {node.emit(OpKind::Div, {node.number(1), node.input(0)})};
}

/// Of integers to a small power that is known exactly, as products; else through floats: what they
/// give is rounded, since a power of floats is not exact, but cut off where the exponent is none.
Outputs importPow(NodeImport& node) {
  constexpr double kMostProducts = 8;
  const DataType type = node.type(0);
  if (type.isFloat()) return {node.emit(OpKind::Pow, {node.input(0), node.input(1)})};
  const bool isOne = node.isKnown(1) && elementCount(node.shape(1)) == 1;
  if (const double exponent = isOne && node.rank(1) <= node.rank(0) ? node.constantReal(1) : 0;
      exponent >= 1 && exponent <= kMostProducts && exponent == std::floor(exponent)) {
    TensorId power = node.input(0);
    for (int i = 1; i < static_cast<int>(exponent); ++i)
      power = node.emit(OpKind::Mul, {power, node.input(0)});
    return {power};
  }
  const TensorId power = node.emit(OpKind::Pow, {node.emitCast(node.input(0), kFloat32),
                                                 node.emitCast(node.input(1), kFloat32)});
  const bool isWhole = node.type(1).isInt();
  return {node.emitCast(isWhole ? node.emit(OpKind::Round, {power}) : power, type)};
}

/// Exclusive or, of truth values.
Outputs importXor(NodeImport& node) {
  return {node.emit(OpKind::Not, {node.emit(OpKind::Equal, {node.input(0), node.input(1)})})};
}

/// With the sign of the divisor, or (fmod) of the dividend: of integers x - y * (x / y rounded
/// towards zero), which floats are too inexact for.
Outputs importMod(NodeImport& node) {
  const TensorId x = node.input(0), y = node.input(1);
  if (node.integer("fmod", 0) == 0) {
    if (node.type(0).isFloat()) node.fail("floats need fmod=1");
    return {node.emit(OpKind::Mod, {x, y})};
  }
  if (node.type(0).isFloat()) return {node.emit(OpKind::Mod, {x, y})};
  const TensorId quotient = node.emit(OpKind::Div, {x, y});
  return {node.emit(OpKind::Sub, {x, node.emit(OpKind::Mul, {y, quotient})})};
}

/// (0 < x) - (x < 0)
TensorId sign(NodeImport& node, TensorId x) {
  const DataType type = node.type(0);
  const TensorId zero = node.number(0, type);
  return node.emit(OpKind::Sub, {node.emitCast(node.emit(OpKind::Less, {zero, x}), type),
                                 node.emitCast(node.emit(OpKind::Less, {x, zero}), type)});
}

Outputs importSign(NodeImport& node) {
  return {sign(node, node.input(0))};
}

Outputs importIsNan(NodeImport& node) {
  return {node.emit(OpKind::Not, {node.emit(OpKind::Equal, {node.input(0), node.input(0)})})};
}

/// Beyond the largest number.
Outputs importIsInf(NodeImport& node) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  const TensorId x = node.input(0);
  const TensorId positive = node.emit(OpKind::Less, {node.number(kLargest), x});
  const TensorId negative = node.emit(OpKind::Less, {x, node.number(-kLargest)});
  if (node.integer("detect_negative", 1) == 0) return {positive};
  if (node.integer("detect_positive", 1) == 0) return {negative};
  return {node.emit(OpKind::Or, {positive, negative})};
}

Outputs importTan(NodeImport& node) {
  return {node.emit(OpKind::Div, {node.emit(OpKind::Sin, {node.input(0)}),
                                  node.emit(OpKind::Cos, {node.input(0)})})};
}

/// (exp(x) -/+ exp(-x)) / 2
template <OpKind Kind>
Outputs importHyperbolic(NodeImport& node) {
  const TensorId rising = node.emit(OpKind::Exp, {node.input(0)});
  const TensorId falling = node.emit(OpKind::Exp, {node.emit(OpKind::Neg, {node.input(0)})});
  return {node.emit(OpKind::Mul, {node.emit(Kind, {rising, falling}), node.number(0.5)})};
}

/// log(x + sqrt(x * x + offset))
TensorId areaLogarithm(NodeImport& node, TensorId x, double offset) {
  const TensorId square = node.emit(OpKind::Mul, {x, x});
  const TensorId root =
      node.emit(OpKind::Sqrt, {node.emit(OpKind::Add, {square, node.number(offset)})});
  return node.emit(OpKind::Log, {node.emit(OpKind::Add, {x, root})});
}

Outputs importAsinh(NodeImport& node) {
  // Of the magnitude, since x + root cancels for negative x.
  const TensorId magnitude = node.emit(OpKind::Abs, {node.input(0)});
  return {node.emit(OpKind::Mul, {sign(node, node.input(0)), areaLogarithm(node, magnitude, 1)})};
}

Outputs importAcosh(NodeImport& node) {
  return {areaLogarithm(node, node.input(0), -1)};
}

/// log((1 + x) / (1 - x)) / 2
Outputs importAtanh(NodeImport& node) {
  const TensorId x = node.input(0), one = node.number(1);
  const TensorId ratio =
      node.emit(OpKind::Div, {node.emit(OpKind::Add, {one, x}), node.emit(OpKind::Sub, {one, x})});
  return {node.emit(OpKind::Mul, {node.emit(OpKind::Log, {ratio}), node.number(0.5)})};
}

Outputs importIdentity(NodeImport& node) {
  return {node.input(0)};
}

/// Nothing happens in inference, and the mask lets everything pass. Training mode that drops
/// nothing is the same: torchvision's Swin transformers are exported so.
Outputs importDropout(NodeImport& node) {
  const bool trains = node.hasInput(2) && (!node.isKnown(2) || node.constantReal(2) != 0);
  const bool drops = !node.hasInput(1) || !node.isKnown(1) || node.constantReal(1) != 0;
  if (trains && drops)
    node.fail("training mode is not supported; export the model in evaluation mode");
  Outputs outputs{node.input(0)};
  if (node.outputCount() > 1) {
    const Shape shape = node.shape(0);
    outputs.push_back(node.emitCast(
        node.builder().constant(node.outputName(1), shape, filledConstant(shape, 1)), kBool));
  }
  return outputs;
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
      {"Floor", importUnary<OpKind::Floor>},
      {"Ceil", importUnary<OpKind::Ceil>},
      {"Round", importUnary<OpKind::Round>},
      {"Sin", importUnary<OpKind::Sin>},
      {"Cos", importUnary<OpKind::Cos>},
      {"Tan", importTan},
      {"Sinh", importHyperbolic<OpKind::Sub>},
      {"Cosh", importHyperbolic<OpKind::Add>},
      {"Asinh", importAsinh},
      {"Acosh", importAcosh},
      {"Atanh", importAtanh},
      {"Sign", importSign},
      {"Not", importUnary<OpKind::Not>},
      {"IsNaN", importIsNan},
      {"IsInf", importIsInf},
      {"Add", importBinary<OpKind::Add>},
      {"Sub", importBinary<OpKind::Sub>},
      {"Mul", importBinary<OpKind::Mul>},
      {"Div", importBinary<OpKind::Div>},
      {"Mod", importMod},
      {"Pow", importPow},
      {"Equal", importBinary<OpKind::Equal>},
      {"Less", importBinary<OpKind::Less>},
      {"LessOrEqual", importBinary<OpKind::LessOrEqual>},
      {"Greater", importSwapped<OpKind::Less>},
      {"GreaterOrEqual", importSwapped<OpKind::LessOrEqual>},
      {"And", importBinary<OpKind::And>},
      {"Or", importBinary<OpKind::Or>},
      {"Xor", importXor},
      {"Sum", importVariadic<OpKind::Add>},
      {"Mean", importMean},
      {"Min", importVariadic<OpKind::Min>},
      {"Max", importVariadic<OpKind::Max>},
      {"Where", importWhere},
      {"Clip", importClip},
      {"Cast", importCast},
      {"CastLike", importCastLike},
      {"Reciprocal", importReciprocal},
      {"Identity", importIdentity},
      {"Dropout", importDropout},
  };
  return kTable;
}

} // namespace nestwright::onnx_import
