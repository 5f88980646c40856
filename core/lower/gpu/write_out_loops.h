#pragma once
/// \file Pass: unrolled loops written out.

#include "core/lower/loop_ir.h"

namespace nestwright {

/// Replaces every unrolled loop by its iterations, one after another, with a number in place of the
/// variable. Otherwise a GPU's compiler is told to unroll them, which comes to the same code only
/// where it does as it is told. What is allocated inside is there once for each iteration.
Stmt writeOutLoops(const Stmt& s);

} // namespace nestwright
