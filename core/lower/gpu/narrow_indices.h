#pragma once
/// \file Pass: index arithmetic in 32 bits, in which a GPU is twice as fast as in 64.

#include "core/lower/loop_ir.h"

namespace nestwright {

/// Makes variables and indices of a kernel int32 where all values on the way are proven to fit, and
/// divisions of what is proven not to be negative unsigned. Indices into buffers of more than
/// 2^31 - 1 elements stay int64, so that a position in them can be computed in their type.
Stmt narrowIndices(const Stmt& s);

} // namespace nestwright
