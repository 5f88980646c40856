#pragma once
/// \file Pass: what would touch no element of its buffer is refused.

#include "core/lower/loop_ir.h"

namespace nestwright {

/// Throws IllegalSchedule, naming the kernel and the buffer, when an access that can be reached is
/// proven to lie outside of its buffer, by the ranges of loops and the conditions around it. What
/// may be inside is no reason. Comes before narrow_indices.
void verifyBounds(const Stmt& s);

} // namespace nestwright
