#include "core/network/onnx/onnx_context.h"

#include "core/network/graph/host_evaluate.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <numeric>

namespace nestwright::onnx_import {

TensorId NodeImport::input(std::size_t i) const {
  if (!hasInput(i)) fail(fmt::format("operand {} is missing", i));
  return inputs_[i];
}

int NodeImport::declaredType(std::size_t i) const {
  const auto found = hasInput(i) ? declared_.find(inputName(i)) : declared_.end();
  return found == declared_.end() ? 0 : found->second;
}

std::optional<Constant> NodeImport::held(TensorId id) const {
  if (const Tensor& tensor = to_.tensor(id); tensor.constant) return tensor.constant;
  const auto found = given_.find(id);
  return found == given_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Constant> NodeImport::known(TensorId id) const {
  std::vector<TensorId> open{id}; // each waits for those behind it
  while (!open.empty()) {
    const TensorId at = open.back();
    const Node* node = to_.producer(at);
    if (held(at)) {
      open.pop_back();
      continue;
    }
    if (given_.empty() || !node || !canEvaluate(node->kind)) return std::nullopt;
    std::vector<ArrayPtr> operands;
    bool complete = true;
    for (const TensorId operand : node->inputs) {
      const std::optional<Constant> value = held(operand);
      if (value && complete) operands.push_back(value->materialise());
      if (value) continue;
      complete = false;
      open.push_back(operand);
    }
    if (!complete) continue;
    to_.takeRoom(to_.tensor(at).shape, to_.tensor(at).type);
    given_[at] = Constant::of(evaluateNode(*node, to_.tensor(at), operands));
  }
  return held(id);
}

ArrayPtr NodeImport::constantValue(std::size_t i) const {
  const std::optional<Constant> value = known(input(i));
  if (!value)
    fail(fmt::format("operand {} ('{}') depends on the network's input; shapes and indices must be "
                     "constant",
                     i, to_.tensor(input(i)).name));
  return value->materialise();
}

std::vector<std::int64_t> NodeImport::constantInts(std::size_t i) const {
  const ArrayPtr array = constantValue(i);
  if (array->isFloat())
    fail(fmt::format("operand {} ('{}') holds no integers", i, to_.tensor(input(i)).name));
  return array->ints();
}

double NodeImport::constantReal(std::size_t i) const {
  const ArrayPtr array = constantValue(i);
  if (elementCount(array->shape) != 1)
    fail(fmt::format("operand {} ('{}') is no single number", i, to_.tensor(input(i)).name));
  return array->isFloat() ? array->floats()[0] : static_cast<double>(array->ints()[0]);
}

std::optional<std::vector<std::int64_t>> NodeImport::integersOrInput(const char* name,
                                                                     std::size_t i) const {
  if (has(name)) return integers(name);
  if (hasInput(i)) return constantInts(i);
  return std::nullopt;
}

int NodeImport::axis(std::int64_t value, std::size_t rank) const {
  const auto extent = static_cast<std::int64_t>(rank);
  if (value < -extent || value >= extent)
    fail(fmt::format("the axis {} is out of range for {}", value, quantity(extent, "dimension")));
  return static_cast<int>(value < 0 ? value + extent : value);
}

TensorId NodeImport::folded(TensorId id) {
  const Node* node = to_.producer(id);
  const Tensor tensor = to_.tensor(id);
  if (!node) return id;
  // What has no elements needs no computing.
  if (elementCount(tensor.shape) == 0)
    return to_.constant(tensor.name, tensor.shape,
                        tensor.type.isFloat() ? floatConstant(tensor.shape, {})
                                              : intConstant(tensor.shape, {}),
                        tensor.type);
  if (!canEvaluate(node->kind)) return id;
  const std::optional<Constant> constant = foldedConstant(
      *node, tensor, [&](TensorId operand) -> const Tensor& { return to_.tensor(operand); });
  if (!constant) return id;
  const bool moved = node->kind == OpKind::Transpose || node->kind == OpKind::Reshape;
  const bool learnable = moved && to_.tensor(node->inputs[0]).learnable;
  return to_.constant(tensor.name, tensor.shape, *constant, tensor.type, learnable);
}

TensorId NodeImport::emit(OpKind kind, std::vector<TensorId> inputs, Attributes attributes) {
  return folded(to_.node(kind, std::move(inputs), std::move(attributes), nodeName()));
}

TensorId NodeImport::emitReshape(TensorId x, Shape shape) {
  return folded(to_.reshape(x, std::move(shape), outputName()));
}

TensorId NodeImport::emitCast(TensorId x, DataType type) {
  return folded(to_.cast(x, type, outputName()));
}

TensorId NodeImport::emitTranspose(TensorId x, std::vector<int> permutation) {
  return folded(to_.transpose(x, std::move(permutation), outputName()));
}

TensorId NodeImport::emitSlice(TensorId x, int axis, std::int64_t start, std::int64_t extent) {
  Shape shape = to_.tensor(x).shape;
  SliceAttributes slice{Shape(shape.size(), 0), Shape(shape.size(), 1)};
  slice.starts[static_cast<std::size_t>(axis)] = start;
  shape[static_cast<std::size_t>(axis)] = extent;
  return folded(to_.slice(x, slice, shape, outputName()));
}

TensorId NodeImport::number(double value, DataType type) {
  if (type.isFloat()) return to_.scalar(static_cast<float>(value));
  return constant({}, std::vector<std::int64_t>{saturated(value)}, type);
}

TensorId NodeImport::positions(std::int64_t extent, std::size_t behind) {
  Shape shape(behind + 1, 1);
  shape[0] = extent;
  to_.requireRoom(shape, kInt64);
  std::vector<std::int64_t> values(static_cast<std::size_t>(extent));
  std::iota(values.begin(), values.end(), std::int64_t{0});
  return constant(std::move(shape), std::move(values));
}

TensorId NodeImport::constant(Shape shape, std::vector<std::int64_t> values, DataType type) {
  Constant value = intConstant(shape, std::move(values));
  return to_.constant(outputName(), std::move(shape), std::move(value), type);
}

TensorId NodeImport::constant(Shape shape, std::vector<float> values) {
  Constant value = floatConstant(shape, std::move(values));
  return to_.constant(outputName(), std::move(shape), std::move(value));
}

namespace {

const OperatorTables<Importer>& tables() {
  static const OperatorTables<Importer> kTables = {
      &elementwiseImporters(),   &activationImporters(), &movementImporters(),
      &layerImporters(),         &reductionImporters(),  &resizeImporters(),
      &normalisationImporters(), &constantImporters(),   &scatterImporters(),
      &sortingImporters(),       &einsumImporters(),     &recurrentImporters(),
      &lossImporters(),          &quantisedImporters(),  &alongAxisImporters()};
  return kTables;
}

/// The importer of an operator, or null.
Importer findImporter(const std::string& op) {
  return functionOf(tables(), op);
}

} // namespace

bool isStandard(const onnx::NodeProto& node) {
  return node.domain().empty() || node.domain() == "ai.onnx";
}

bool isOfRuntime(const onnx::NodeProto& node) {
  return node.domain() == "com.microsoft";
}

Importer importerOf(const onnx::NodeProto& node) {
  if (isStandard(node)) return findImporter(node.op_type());
  if (!isOfRuntime(node)) return nullptr;
  const auto found = runtimeImporters().find(node.op_type());
  return found == runtimeImporters().end() ? nullptr : found->second;
}

std::vector<std::string> supportedOperators() {
  return withRuntime(operatorsIn(tables()), runtimeImporters());
}

} // namespace nestwright::onnx_import
