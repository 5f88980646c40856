#pragma once
/// \file Values as kernels read them from memory.

#include "core/network/execution/execution_plan.h"

#include <optional>

namespace nestwright {

/// The values, dense row-major, as elements of the type: float32, halves, integers, or bool in a
/// byte. An integer that the type cannot hold keeps its low bits.
void storeValues(const Array& values, DataType type, void* memory);
/// The values that are there.
Array loadValues(const Shape& shape, DataType type, const void* memory);

/// The first integer that an element of the type cannot hold, or nothing.
std::optional<std::int64_t> firstBeyond(const Array& values, DataType type);

/// A constant as its buffer has it: packed where that has a layout. `memory` has its bytes.
void storeConstant(const Tensor& tensor, const PlannedBuffer& buffer, void* memory);

} // namespace nestwright
