#pragma once
/// \file Element types as C11 writes them.

#include "core/tensor/dtype.h"

#include <string>

namespace nestwright {

/// "float", "int64_t": an element in memory. float16 and bfloat16 are their bits, uint16_t; a bool
/// is uint8_t. Throws InputError for a type that C does not have.
std::string cType(DataType type);

} // namespace nestwright
