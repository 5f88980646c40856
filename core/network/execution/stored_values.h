#pragma once
/// \file Values as kernels read them from memory.

#include "core/network/execution/execution_plan.h"

namespace nestwright {

/// The values, dense row-major, as elements of the type: float32, int64, or bool in a byte.
void storeValues(const Array& values, DataType type, void* memory);

/// A constant as its buffer has it: packed where that has a layout. `memory` has its bytes.
void storeConstant(const Tensor& tensor, const PlannedBuffer& buffer, void* memory);

} // namespace nestwright
