// ONNX tensors as constants.

#include "core/network/onnx/onnx_context.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <onnx/defs/tensor_proto_util.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace nestwright::onnx_import {

std::optional<DataType> findElementType(int onnxType) {
  switch (onnxType) {
  case onnx::TensorProto::FLOAT:
  case onnx::TensorProto::DOUBLE:
  case onnx::TensorProto::FLOAT16:
  case onnx::TensorProto::BFLOAT16:
    return kFloat32;
  case onnx::TensorProto::INT64:
    return kInt64;
  case onnx::TensorProto::INT32:
    return kInt32;
  case onnx::TensorProto::INT16:
    return DataType{DataType::Code::Int, 16, 1};
  case onnx::TensorProto::INT8:
    return kInt8;
  case onnx::TensorProto::UINT32:
    return kUInt32;
  case onnx::TensorProto::UINT16:
    return DataType{DataType::Code::UInt, 16, 1};
  case onnx::TensorProto::UINT8:
    return kUInt8;
  case onnx::TensorProto::BOOL:
    return kBool;
  default:
    return std::nullopt;
  }
}

DataType elementType(int onnxType) {
  if (const std::optional<DataType> type = findElementType(onnxType)) return *type;
  throw InputError(fmt::format("the element type {} is not supported (floats, bool and integers "
                               "that fit int64 are)",
                               onnx::TensorProto::DataType_Name(onnxType)));
}

Shape shapeOf(const onnx::TensorProto& tensor) {
  return {tensor.dims().begin(), tensor.dims().end()};
}

namespace {

float fromHalf(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  const float sign = bits & 0x8000 ? -1.0F : 1.0F;
  if (exponent == 0x1f)
    return fraction ? std::numeric_limits<float>::quiet_NaN()
                    : sign * std::numeric_limits<float>::infinity();
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
}

float fromBrain(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// The elements as `Stored`: raw bytes, or the field that ONNX widens them into.
template <class Stored, class Field>
std::vector<Stored> elements(const onnx::TensorProto& tensor, const Field& field) {
  if (!tensor.has_raw_data()) {
    std::vector<Stored> values;
    values.reserve(static_cast<std::size_t>(field.size()));
    for (const auto value : field)
      values.push_back(static_cast<Stored>(value));
    return values;
  }
  std::vector<Stored> values(tensor.raw_data().size() / sizeof(Stored));
  if (!values.empty()) // a null pointer is none for memcpy, also of nothing
    std::memcpy(values.data(), tensor.raw_data().data(), values.size() * sizeof(Stored));
  return values;
}

/// The elements as numbers of the type that constants have.
template <class Stored, class Field>
Array readAs(const onnx::TensorProto& tensor, const Field& field) {
  std::vector<Stored> values = elements<Stored>(tensor, field);
  if constexpr (std::is_same_v<Stored, float> || std::is_same_v<Stored, std::int64_t>)
    return {shapeOf(tensor), std::move(values)};
  else if constexpr (std::is_same_v<Stored, double>)
    return {shapeOf(tensor), std::vector<float>(values.begin(), values.end())};
  else
    return {shapeOf(tensor), std::vector<std::int64_t>(values.begin(), values.end())};
}

Array readHalves(const onnx::TensorProto& tensor, float (*convert)(std::uint16_t)) {
  std::vector<float> values;
  for (const std::uint16_t bits : elements<std::uint16_t>(tensor, tensor.int32_data()))
    values.push_back(convert(bits));
  return {shapeOf(tensor), std::move(values)};
}

Array readElements(const onnx::TensorProto& tensor) {
  const auto& narrow = tensor.int32_data();
  switch (tensor.data_type()) {
  case onnx::TensorProto::FLOAT:
    return readAs<float>(tensor, tensor.float_data());
  case onnx::TensorProto::DOUBLE:
    return readAs<double>(tensor, tensor.double_data());
  case onnx::TensorProto::FLOAT16:
    return readHalves(tensor, fromHalf);
  case onnx::TensorProto::BFLOAT16:
    return readHalves(tensor, fromBrain);
  case onnx::TensorProto::INT64:
    return readAs<std::int64_t>(tensor, tensor.int64_data());
  case onnx::TensorProto::INT32:
    return readAs<std::int32_t>(tensor, narrow);
  case onnx::TensorProto::INT16:
    return readAs<std::int16_t>(tensor, narrow);
  case onnx::TensorProto::INT8:
    return readAs<std::int8_t>(tensor, narrow);
  case onnx::TensorProto::UINT32:
    return readAs<std::uint32_t>(tensor, tensor.uint64_data());
  case onnx::TensorProto::UINT16:
    return readAs<std::uint16_t>(tensor, narrow);
  case onnx::TensorProto::UINT8:
  case onnx::TensorProto::BOOL:
    return readAs<std::uint8_t>(tensor, narrow);
  default:
    elementType(tensor.data_type());
  }
  NW_ASSERT(false, "element type {} passed", tensor.data_type());
  return {};
}

} // namespace

Constant readTensor(const onnx::TensorProto& tensor) {
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
    throw InputError(fmt::format("the tensor '{}' is stored in another file; only the weights of a "
                                 "model may be",
                                 tensor.name()));
  Array array = readElements(tensor);
  const std::size_t count =
      std::visit([](const auto& values) { return values.size(); }, array.data);
  for (const std::int64_t extent : array.shape)
    if (extent < 0 || extent > kMaxElements)
      throw InputError(fmt::format("the tensor '{}' has a dimension of {}", tensor.name(), extent));
  if (static_cast<std::int64_t>(count) != elementCount(array.shape))
    throw InputError(fmt::format("the tensor '{}' of shape [{}] holds {}", tensor.name(),
                                 fmt::join(array.shape, ", "),
                                 quantity(std::int64_t(count), "element")));
  return Constant::of(std::move(array));
}

} // namespace nestwright::onnx_import
