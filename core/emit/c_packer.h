#pragma once
/// \file Packing an input, in C.

#include "core/tensor/packed_layout.h"

#include <string>

namespace nestwright {

/// The statements of a function that fills `packed` from `given`, as PackedLayout::pack() does.
/// They need <stdint.h> and <string.h>.
std::string cPackerBody(const PackedLayout& layout, int elementBytes);

} // namespace nestwright
