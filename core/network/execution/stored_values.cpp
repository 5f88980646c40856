#include "core/network/execution/stored_values.h"

#include "core/support/error.h"
#include "core/tensor/half.h"

#include <algorithm>
#include <vector>

namespace nestwright {

void storeValues(const Array& values, DataType type, void* memory) {
  if (type == kFloat32) {
    std::ranges::copy(values.floats(), static_cast<float*>(memory));
  } else if (type == kBFloat16) {
    std::ranges::transform(values.floats(), static_cast<std::uint16_t*>(memory),
                           [type](float value) { return halfBits(value, type); });
  } else if (type == kInt64) {
    std::ranges::copy(values.ints(), static_cast<std::int64_t*>(memory));
  } else {
    NW_ASSERT(type.isBool(), "a network holds no {}", toString(type));
    std::transform(values.ints().begin(), values.ints().end(), static_cast<std::uint8_t*>(memory),
                   [](std::int64_t value) { return static_cast<std::uint8_t>(value != 0); });
  }
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
