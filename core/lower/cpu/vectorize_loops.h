#pragma once
/// \file Pass: loops become vector expressions.

#include "core/lower/loop_ir.h"
#include "core/lower/lower.h"

namespace nestwright {

/// Replaces each loop annotated `vectorize` by statements over all its iterations, or over the
/// largest divisor of its extent that is at most 64; and each innermost loop whose accesses are
/// contiguous by statements over as many iterations as a vector register holds elements. A loop
/// stays serial where lanes would take different ways (conditions that depend on the lane, a buffer
/// inside).
Stmt vectorizeLoops(const Stmt& s, const LowerOptions& options);

/// The annotated loops alone.
Stmt vectorizeAnnotatedLoops(const Stmt& s);

} // namespace nestwright
