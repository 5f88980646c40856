#include "core/network/execution/stored_values.h"

#include "core/support/error.h"
#include "core/tensor/half.h"
#include "core/tensor/stored_type.h"
#include "core/tensor/wide_sum.h"

#include <algorithm>
#include <vector>

namespace nestwright {

namespace {

/// Arrays hold integers as int64.
bool isHeldAsInteger(DataType type) {
  const bool isBeyond = type.code == DataType::Code::UInt && type.bits == 64;
  return !type.isFloat() && !isBeyond;
}

} // namespace

void storeValues(const Array& values, DataType type, void* memory) {
  if (type == kFloat32) {
    std::ranges::copy(values.floats(), static_cast<float*>(memory));
    return;
  }
  if (type.isHalf()) {
    std::ranges::transform(values.floats(), static_cast<std::uint16_t*>(memory),
                           [&](float value) { return halfBits(value, type); });
    return;
  }
  NW_ASSERT(isHeldAsInteger(type), "a network holds no {}", toString(type));
  withStoredType(type, [&](auto element) {
    using Stored = decltype(element);
    std::ranges::transform(values.ints(), static_cast<Stored*>(memory), [&](std::int64_t value) {
      return static_cast<Stored>(type.isBool() ? value != 0 : value);
    });
  });
}

Array loadValues(const Shape& shape, DataType type, const void* memory) {
  const std::int64_t count = elementCount(shape);
  if (type == kFloat32) {
    const auto* from = static_cast<const float*>(memory);
    return {shape, std::vector<float>(from, from + count)};
  }
  if (type.isHalf()) {
    const auto* from = static_cast<const std::uint16_t*>(memory);
    std::vector<float> values(static_cast<std::size_t>(count));
    std::transform(from, from + count, values.begin(),
                   type == kFloat16 ? fromFloat16 : fromBFloat16);
    return {shape, std::move(values)};
  }
  NW_ASSERT(isHeldAsInteger(type), "a network holds no {}", toString(type));
  return withStoredType(type, [&](auto element) {
    const auto* from = static_cast<const decltype(element)*>(memory);
    return Array{shape, std::vector<std::int64_t>(from, from + count)};
  });
}

std::optional<std::int64_t> firstBeyond(const Array& values, DataType type) {
  if (values.isFloat() || !type.isInt() || type == kInt64) return std::nullopt;
  const ValueBounds bounds = boundsOf(type);
  const auto found = std::ranges::find_if(
      values.ints(), [&](std::int64_t value) { return value < bounds.low || value > bounds.high; });
  if (found == values.ints().end()) return std::nullopt;
  return *found;
}

void storeConstant(const Tensor& tensor, const PlannedBuffer& buffer, void* memory) {
  const Array values = *tensor.constant.materialise();
  if (!buffer.layout) return storeValues(values, tensor.type, memory);
  std::vector<std::uint8_t> given(
      static_cast<std::size_t>(elementCount(tensor.shape) * tensor.type.elementBytes()));
  storeValues(values, tensor.type, given.data());
  buffer.layout->pack(given.data(), memory, static_cast<std::size_t>(tensor.type.elementBytes()));
}

} // namespace nestwright
