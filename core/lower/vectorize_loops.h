#pragma once
/// \file Pass: loops annotated `vectorize` become vector expressions.

#include "core/lower/loop_ir.h"

namespace nestwright {

/// Replaces each vectorized loop by statements over all its iterations, or over the largest divisor
/// of its extent that is at most 64. A loop stays serial where lanes would take different ways
/// (conditions that depend on the lane, a buffer inside).
Stmt vectorizeLoops(const Stmt& s);

} // namespace nestwright
