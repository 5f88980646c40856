#pragma once
/// \file Arithmetic on integers that are held in 64 bits, as types of fewer bits have it.

#include "core/network/graph/array.h"

namespace nestwright {

/// What a quantised tensor holds: int8 or uint8.
bool isByte(DataType type);

/// As `saturated`, at the limits of an integer type.
std::int64_t saturatedTo(DataType type, double x);

/// What elements of an integer type hold of the results: their low bits. Other types stay.
Array wrappedTo(DataType type, Array result);

} // namespace nestwright
