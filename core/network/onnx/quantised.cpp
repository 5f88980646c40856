// ONNX operators on quantised numbers: integers of 8 bits that stand for (steps - zero point) *
// scale.

#include "core/network/graph/infer.h"
#include "core/network/graph/integer_product.h"
#include "core/network/graph/narrow_integers.h"
#include "core/network/onnx/onnx_context.h"
#include "core/support/quantity.h"

namespace nestwright::onnx_import {

namespace {

using Outputs = std::vector<TensorId>;

/// Where a node has the scale and the zero point of a quantised operand.
struct Parameters {
  TensorId scale = -1, zero = -1;
};

/// The parameters as they repeat within data of this shape: one for all elements, or one a position
/// of an axis.
class ParameterReader {
 public:
  ParameterReader(NodeImport& node, Shape data, DataType stepsType, std::int64_t axis)
      : node_(node), data_(std::move(data)), type_(stepsType), axis_(axis) {}

  /// Operands `scale` and `scale` + 1, of which the second may be missing.
  Parameters read(std::size_t scale) const {
    const std::size_t zero = scale + 1;
    if (node_.type(scale) != kFloat32)
      node_.fail(fmt::format("the scale is {}, not float32", toString(node_.type(scale))));
    if (!node_.hasInput(zero)) return {fitted(scale), node_.number(0, type_)};
    if (node_.type(zero) != type_)
      node_.fail(fmt::format("the zero point is {}, and what it belongs to {}",
                             toString(node_.type(zero)), toString(type_)));
    if (elementCount(node_.shape(zero)) != elementCount(node_.shape(scale)))
      node_.fail(fmt::format("the zero point has the shape {} and the scale {}",
                             shapeText(node_.shape(zero)), shapeText(node_.shape(scale))));
    // Weights have a zero an output channel, all the same.
    if (const auto one = uniformValue(node_.builder().tensor(node_.input(zero))))
      return {fitted(scale), node_.number(*one, type_)};
    return {fitted(scale), fitted(zero)};
  }

 private:
  TensorId fitted(std::size_t i) const {
    const Shape own = node_.shape(i);
    if (elementCount(own) == 1) return node_.emitReshape(node_.input(i), {});
    if (own.size() != 1)
      node_.fail(fmt::format("operand {} has the shape {}; one number, or a list of one a position "
                             "of an axis, is supported",
                             i, shapeText(own)));
    const auto axis = static_cast<std::size_t>(node_.axis(axis_, data_.size()));
    if (own[0] != data_[axis])
      node_.fail(fmt::format("operand {} has {} entries, and axis {} of the data {}", i, own[0],
                             axis, quantity(data_[axis], "element")));
    Shape along(data_.size(), 1);
    along[axis] = own[0];
    return node_.emitReshape(node_.input(i), along);
  }

  NodeImport& node_;
  Shape data_;
  DataType type_;
  std::int64_t axis_;
};

Parameters parametersOf(NodeImport& node, std::size_t scale, TensorId steps, std::int64_t axis) {
  const Tensor tensor = node.builder().tensor(steps);
  return ParameterReader(node, tensor.shape, tensor.type, axis).read(scale);
}

/// Not folded where it makes weights: they stay integers until it is known who multiplies them.
TensorId dequantised(NodeImport& node, TensorId steps, const Parameters& by) {
  const TensorId real = node.builder().node(OpKind::DequantizeLinear, {steps, by.scale, by.zero},
                                            {}, node.nodeName());
  return node.builder().tensor(steps).shape.size() < 2 ? node.folded(real) : real;
}

Outputs importDequantize(NodeImport& node) {
  const TensorId x = node.input(0);
  return {dequantised(node, x, parametersOf(node, 1, x, node.integer("axis", 1)))};
}

/// The scale and the zero point at operands `scale` and the next one, for a result of this shape.
TensorId quantised(NodeImport& node, TensorId real, std::size_t scale, std::int64_t axis) {
  const DataType type = node.hasInput(scale + 1) ? node.type(scale + 1) : kUInt8;
  if (!isByte(type))
    node.fail(fmt::format("the zero point is {}, not int8 or uint8", toString(type)));
  const Parameters by =
      ParameterReader(node, node.builder().tensor(real).shape, type, axis).read(scale);
  return node.emit(OpKind::QuantizeLinear, {real, by.scale, by.zero});
}

Outputs importQuantize(NodeImport& node) {
  return {quantised(node, node.emitCast(node.input(0), kFloat32), 1, node.integer("axis", 1))};
}

/// As far as the numbers reach, 0 among them, in 256 steps.
Outputs importDynamicQuantize(NodeImport& node) {
  const TensorId x = node.input(0), none = node.number(0);
  ReduceAttributes all{{}, false};
  for (std::size_t d = 0; d < node.rank(0); ++d)
    all.axes.push_back(static_cast<int>(d));
  const auto extreme = [&](OpKind reduction, OpKind choice) {
    const TensorId of = all.axes.empty() ? x : node.emit(reduction, {x}, all);
    return node.emit(choice, {of, none});
  };
  const TensorId high = extreme(OpKind::ReduceMax, OpKind::Max);
  const TensorId low = extreme(OpKind::ReduceMin, OpKind::Min);
  const TensorId scale =
      node.emit(OpKind::Div, {node.emit(OpKind::Sub, {high, low}), node.number(255)});
  const TensorId zero = node.emit(OpKind::QuantizeLinear,
                                  {node.emit(OpKind::Neg, {low}), scale, node.number(0, kUInt8)});
  return {node.emit(OpKind::QuantizeLinear, {x, scale, zero}), scale, zero};
}

void requireQuantised(NodeImport& node, std::initializer_list<std::size_t> operands) {
  for (const std::size_t i : operands)
    if (!isByte(node.type(i)))
      node.fail(fmt::format("operand {} is {}, not int8 or uint8", i, toString(node.type(i))));
}

/// A zero point of its operand's type, of one element or one an entry of the operand's axis; -1
/// where there is none. One that is the same for all is one.
TensorId zeroOf(NodeImport& node, std::size_t i, std::size_t operand, std::int64_t extent) {
  if (!node.hasInput(i)) return -1;
  if (node.type(i) != node.type(operand))
    node.fail(fmt::format("the zero point is {}, and what it belongs to {}", toString(node.type(i)),
                          toString(node.type(operand))));
  const std::int64_t count = elementCount(node.shape(i));
  if (count != 1 && (count != extent || node.rank(i) != 1))
    node.fail(fmt::format("the zero point has the shape {}; one number, or {}, were expected",
                          shapeText(node.shape(i)), extent));
  if (const auto one = uniformValue(node.builder().tensor(node.input(i))))
    return node.number(*one, node.type(i));
  return count == 1 ? node.emitReshape(node.input(i), {}) : node.input(i);
}

/// The convolution of operands `data` and `kernel` with zero points at `dataZero` and `kernelZero`.
TensorId importedConv(NodeImport& node, std::size_t kernel, std::size_t dataZero,
                      std::size_t kernelZero) {
  requireQuantised(node, {0, kernel});
  const ConvAttributes conv = readConvolution(node, node.shape(kernel));
  return integerConv(node.builder(), {node.input(0), zeroOf(node, dataZero, 0, 1)},
                     {node.input(kernel), zeroOf(node, kernelZero, kernel, node.shape(kernel)[0])},
                     conv, node.nodeName());
}

/// The product of operands `left` and `right` with zero points at `leftZero` and `rightZero`: one a
/// row and one a column.
TensorId importedMatMul(NodeImport& node, std::size_t left, std::size_t right, std::size_t leftZero,
                        std::size_t rightZero) {
  requireQuantised(node, {left, right});
  if (node.rank(left) < 1 || node.rank(right) < 1) node.fail("a scalar is no matrix");
  const Shape a = node.shape(left), b = node.shape(right);
  TensorId rows = zeroOf(node, leftZero, left, a.size() > 1 ? a[a.size() - 2] : 1);
  if (rows >= 0 && elementCount(node.builder().tensor(rows).shape) > 1)
    rows = node.emitReshape(rows, {a[a.size() - 2], 1});
  const TensorId columns = zeroOf(node, rightZero, right, b.size() > 1 ? b.back() : 1);
  return productOfMatrices(node, node.input(left), node.input(right), [&](TensorId x, TensorId y) {
    return integerMatMul(node.builder(), {x, rows}, {y, columns}, node.nodeName());
  });
}

Outputs importConvInteger(NodeImport& node) {
  return {importedConv(node, 1, 2, 3)};
}

Outputs importMatMulInteger(NodeImport& node) {
  return {importedMatMul(node, 0, 1, 2, 3)};
}

/// Scales of products, one for all or one an output, each divided by that of the result, in the
/// shape in which they go along the outputs.
TensorId factors(NodeImport& node, std::size_t left, std::size_t right, std::size_t result,
                 std::int64_t outputs, const Shape& along) {
  for (const std::size_t i : {left, right, result})
    if (node.type(i) != kFloat32)
      node.fail(fmt::format("the scale is {}, not float32", toString(node.type(i))));
  const std::int64_t count = elementCount(node.shape(right));
  if (elementCount(node.shape(left)) != 1 || elementCount(node.shape(result)) != 1 ||
      (count != 1 && count != outputs))
    node.fail("scales of one number are supported, and for the weights one an output");
  const TensorId product = node.emit(OpKind::Mul, {node.emitReshape(node.input(left), {}),
                                                   node.emitReshape(node.input(right), {count})});
  const TensorId each = node.emit(OpKind::Div, {product, node.emitReshape(node.input(result), {})});
  // Also where it is one for all: the layers of a network stay equal.
  const TensorId expanded = node.folded(node.builder().expand(each, {outputs}, node.outputName()));
  return node.emitReshape(expanded, along);
}

/// The sum in steps of the result, whose zero point is operand `zero`.
TensorId requantised(NodeImport& node, TensorId sum, TensorId factor, std::size_t zero) {
  requireQuantised(node, {zero});
  if (elementCount(node.shape(zero)) != 1)
    node.fail(fmt::format("the zero point of the result has the shape {}, not one element",
                          shapeText(node.shape(zero))));
  const TensorId steps = node.emit(OpKind::Mul, {node.emitCast(sum, kFloat32), factor});
  return node.emit(OpKind::QuantizeLinear,
                   {steps, node.number(1), node.emitReshape(node.input(zero), {})});
}

/// The bias, operand 8, has steps of the products and no zero point.
Outputs importQLinearConv(NodeImport& node) {
  TensorId sum = importedConv(node, 3, 2, 5);
  const Shape kernel = node.shape(3);
  Shape perChannel(kernel.size() - 1, 1);
  perChannel[0] = kernel[0];
  if (node.hasInput(8)) {
    if (node.type(8) != kInt32 || elementCount(node.shape(8)) != kernel[0])
      node.fail(fmt::format("the bias is {} of shape {}, not int32 of one an output",
                            toString(node.type(8)), shapeText(node.shape(8))));
    sum = node.emit(OpKind::Add, {sum, node.emitReshape(node.input(8), perChannel)});
  }
  return {requantised(node, sum, factors(node, 1, 4, 6, kernel[0], perChannel), 7)};
}

Outputs importQLinearMatMul(NodeImport& node) {
  const TensorId sum = importedMatMul(node, 0, 3, 2, 5);
  const Shape result = node.builder().tensor(sum).shape;
  const std::int64_t columns = node.rank(3) > 1 && !result.empty() ? result.back() : 1;
  const Shape along = columns == 1 ? Shape() : Shape{columns};
  return {requantised(node, sum, factors(node, 1, 4, 6, columns, along), 7)};
}

// --- ONNX Runtime's own -------------------------------------------------------------------------

/// The number that an operand is, with its scale and zero point behind it.
TensorId realOperand(NodeImport& node, std::size_t i) {
  requireQuantised(node, {i});
  return dequantised(node, node.input(i), parametersOf(node, i + 1, node.input(i), 1));
}

template <OpKind Kind>
Outputs importQLinearBinary(NodeImport& node) {
  const TensorId real = node.emit(Kind, {realOperand(node, 0), realOperand(node, 3)});
  return {quantised(node, real, 6, 1)};
}

Outputs importQLinearGlobalAveragePool(NodeImport& node) {
  if (node.integer("channels_last", 0) != 0) node.fail("channels_last is not supported");
  const TensorId mean =
      node.emit(OpKind::GlobalAveragePool, {realOperand(node, 0)}, LayoutAttributes{});
  return {quantised(node, mean, 3, 1)};
}

/// alpha * A * B + C, with a scale an output where the weights have one; the result is quantised
/// where its scale is given.
Outputs importQGemm(NodeImport& node) {
  requireQuantised(node, {0, 3});
  const auto matrix = [&](std::size_t i, const char* flag) {
    if (node.rank(i) != 2)
      node.fail(fmt::format("operand {} has {}, not 2", i,
                            quantity(std::int64_t(node.rank(i)), "dimension")));
    return node.integer(flag, 0) != 0 ? node.emitTranspose(node.input(i), {1, 0}) : node.input(i);
  };
  const TensorId left = matrix(0, "transA"), right = matrix(3, "transB");
  const std::int64_t columns = node.builder().tensor(right).shape[1];
  TensorId sum = integerMatMul(node.builder(), {left, zeroOf(node, 2, 0, 1)},
                               {right, zeroOf(node, 5, 3, columns)}, node.nodeName());
  if (node.hasInput(6)) {
    if (node.type(6) != kInt32)
      node.fail(fmt::format("the bias is {}, not int32", toString(node.type(6))));
    sum = node.emit(OpKind::Add, {sum, node.input(6)});
  }
  const TensorId products =
      node.emit(OpKind::Mul, {node.emitReshape(node.input(1), {}), node.input(4)});
  const TensorId scaled = node.emit(OpKind::Mul, {products, node.number(node.real("alpha", 1))});
  const TensorId real = node.emit(OpKind::Mul, {node.emitCast(sum, kFloat32), scaled});
  return {node.hasInput(7) ? quantised(node, real, 7, 1) : real};
}

} // namespace

const std::map<std::string, Importer>& quantisedImporters() {
  static const std::map<std::string, Importer> kTable = {
      {"QuantizeLinear", importQuantize},
      {"DequantizeLinear", importDequantize},
      {"DynamicQuantizeLinear", importDynamicQuantize},
      {"ConvInteger", importConvInteger},
      {"MatMulInteger", importMatMulInteger},
      {"QLinearConv", importQLinearConv},
      {"QLinearMatMul", importQLinearMatMul},
  };
  return kTable;
}

const std::map<std::string, Importer>& runtimeImporters() {
  static const std::map<std::string, Importer> kTable = {
      {"QLinearAdd", importQLinearBinary<OpKind::Add>},
      {"QLinearMul", importQLinearBinary<OpKind::Mul>},
      {"QLinearGlobalAveragePool", importQLinearGlobalAveragePool},
      {"QGemm", importQGemm},
      {"QuantizeLinear", importQuantize},
      {"DequantizeLinear", importDequantize},
  };
  return kTable;
}

} // namespace nestwright::onnx_import
