#pragma once
/// \file In which order a program reads an array.

#include "core/lower/loop_ir.h"
#include "core/tensor/packed_layout.h"

#include <optional>

namespace nestwright {

/// The layout in which the loops of the statement that reads the array most often walk through it
/// from its first to its last element: each index is a sum of loop variables times constants; each
/// variable becomes a part, the outermost loop's first. (handbook/ansor.md 11.4 follows the loops
/// of the program's state; these are the loops that run, register tiles included.) Nothing when an
/// index is no such sum, when the array is read in the given order anyway, and when the parts would
/// leave gaps of more than a quarter of its size.
std::optional<PackedLayout> readOrder(const Stmt& root, const Buffer& buffer);

} // namespace nestwright
