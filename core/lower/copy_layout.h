#pragma once
/// \file How a copy of an operand is laid out where it is computed inside its reader's loops.

#include "core/schedule/state.h"

namespace nestwright {

/// The axes of the copy in the order of its buffer's dimensions. A copy belongs to its reader: axes
/// that the reader reduces come first, so that what becomes a vector of its result is contiguous.
/// Empty when the stage's own order is kept.
std::vector<int> copyLayout(const State& state, int stage);

} // namespace nestwright
