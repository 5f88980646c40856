#include "core/network/onnx_context.h"

#include "core/network/host_evaluate.h"
#include "core/support/error.h"

#include <onnx/defs/tensor_proto_util.h>

namespace nestwright::onnx_import {

DataType elementType(int onnxType) {
  switch (onnxType) {
  case onnx::TensorProto::FLOAT:
  case onnx::TensorProto::DOUBLE:
    return kFloat32;
  case onnx::TensorProto::INT64:
  case onnx::TensorProto::INT32:
  case onnx::TensorProto::INT8:
  case onnx::TensorProto::UINT8:
    return kInt64;
  case onnx::TensorProto::BOOL:
    return kBool;
  default:
    throw InputError(fmt::format("the element type {} is not supported (float32 and integers are)",
                                 onnx::TensorProto::DataType_Name(onnxType)));
  }
}

Shape shapeOf(const onnx::TensorProto& tensor) {
  return {tensor.dims().begin(), tensor.dims().end()};
}

Constant readTensor(const onnx::TensorProto& tensor) {
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
    throw InputError(fmt::format("the tensor '{}' is stored in another file; save the model as a "
                                 "single file",
                                 tensor.name()));
  const Shape shape = shapeOf(tensor);
  const auto widened = [&](const auto& values) {
    return intConstant(shape, std::vector<std::int64_t>(values.begin(), values.end()));
  };
  // Bytes and bools lie in raw data as they are, or widened in the field for int32.
  const auto bytes = [&](auto sample) {
    if (!tensor.has_raw_data()) return widened(tensor.int32_data());
    std::vector<std::int64_t> values;
    for (const char byte : tensor.raw_data())
      values.push_back(static_cast<decltype(sample)>(byte));
    return intConstant(shape, std::move(values));
  };
  switch (tensor.data_type()) {
  case onnx::TensorProto::FLOAT:
    return floatConstant(shape, onnx::ParseData<float>(&tensor));
  case onnx::TensorProto::DOUBLE: {
    const std::vector<double> values = onnx::ParseData<double>(&tensor);
    return floatConstant(shape, std::vector<float>(values.begin(), values.end()));
  }
  case onnx::TensorProto::INT64:
    return intConstant(shape, onnx::ParseData<std::int64_t>(&tensor));
  case onnx::TensorProto::INT32:
    return widened(onnx::ParseData<std::int32_t>(&tensor));
  case onnx::TensorProto::INT8:
    return bytes(std::int8_t{});
  case onnx::TensorProto::UINT8:
  case onnx::TensorProto::BOOL:
    return bytes(std::uint8_t{});
  default:
    elementType(tensor.data_type());
  }
  NW_ASSERT(false, "element type {} passed", tensor.data_type());
  return {};
}

std::string NodeImport::label() const {
  const std::string& name =
      node_.name().empty() && node_.output_size() > 0 ? node_.output(0) : node_.name();
  return fmt::format("node '{}' ({})", name, node_.op_type());
}

void NodeImport::fail(const std::string& reason) const {
  throw InputError(fmt::format("{}: {}", label(), reason));
}

const onnx::AttributeProto* NodeImport::attribute(const char* name) const {
  for (const onnx::AttributeProto& attribute : node_.attribute())
    if (attribute.name() == name) return &attribute;
  return nullptr;
}

std::int64_t NodeImport::integer(const char* name, std::int64_t absent) const {
  const auto* found = attribute(name);
  return found ? found->i() : absent;
}

double NodeImport::real(const char* name, double absent) const {
  const auto* found = attribute(name);
  return found ? found->f() : absent;
}

std::string NodeImport::text(const char* name, const char* absent) const {
  const auto* found = attribute(name);
  return found ? found->s() : absent;
}

std::vector<std::int64_t> NodeImport::integers(const char* name) const {
  const auto* found = attribute(name);
  return found ? std::vector<std::int64_t>(found->ints().begin(), found->ints().end())
               : std::vector<std::int64_t>();
}

TensorId NodeImport::input(std::size_t i) const {
  if (!hasInput(i)) fail(fmt::format("operand {} is missing", i));
  return inputs_[i];
}

std::vector<std::int64_t> NodeImport::constantInts(std::size_t i) const {
  const Tensor& tensor = to_.tensor(input(i));
  if (!tensor.constant)
    fail(fmt::format("operand {} ('{}') depends on the network's input; shapes and indices must be "
                     "constant",
                     i, tensor.name));
  const ArrayPtr array = tensor.constant.materialise();
  if (array->isFloat()) fail(fmt::format("operand {} ('{}') holds no integers", i, tensor.name));
  return array->ints();
}

double NodeImport::constantReal(std::size_t i) const {
  const Tensor& tensor = to_.tensor(input(i));
  if (!tensor.constant || elementCount(tensor.shape) != 1)
    fail(fmt::format("operand {} ('{}') is no constant number", i, tensor.name));
  const ArrayPtr array = tensor.constant.materialise();
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
    fail(fmt::format("the axis {} is out of range for {} dimensions", value, rank));
  return static_cast<int>(value < 0 ? value + extent : value);
}

TensorId NodeImport::folded(TensorId id) {
  const Node* node = to_.producer(id);
  if (!node || !canEvaluate(node->kind)) return id;
  const std::optional<Constant> constant =
      foldedConstant(*node, to_.tensor(id),
                     [&](TensorId operand) -> const Tensor& { return to_.tensor(operand); });
  if (!constant) return id;
  const bool moved = node->kind == OpKind::Transpose || node->kind == OpKind::Reshape;
  const bool learnable = moved && to_.tensor(node->inputs[0]).learnable;
  const Tensor& tensor = to_.tensor(id);
  return to_.constant(tensor.name, tensor.shape, *constant, tensor.type, learnable);
}

TensorId NodeImport::emit(OpKind kind, std::vector<TensorId> inputs, Attributes attributes) {
  const std::string& name = node_.name().empty() ? outputName() : node_.name();
  return folded(to_.node(kind, std::move(inputs), std::move(attributes), name));
}

Importer findImporter(const std::string& op) {
  for (const auto* table : {&elementwiseImporters(), &movementImporters(), &layerImporters()})
    if (const auto found = table->find(op); found != table->end()) return found->second;
  return nullptr;
}

std::vector<std::string> supportedOperators() {
  std::vector<std::string> names;
  for (const auto* table : {&elementwiseImporters(), &movementImporters(), &layerImporters()})
    for (const auto& entry : *table)
      names.push_back(entry.first);
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace nestwright::onnx_import
