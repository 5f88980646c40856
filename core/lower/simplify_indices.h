#pragma once
/// \file Pass: affine normal forms of all indices and conditions, given the ranges of the loops.

#include "core/lower/index_simplifier.h"
#include "core/lower/loop_ir.h"

namespace nestwright {

/// Simplifies every expression, removes conditions that always hold and statements that never run,
/// and moves conditions out of the loops that do not change them.
Stmt simplifyIndices(const Stmt& s);

/// A simplifier that knows the range of every loop variable of `root`.
IndexSimplifier simplifierFor(const Stmt& root);

/// The values of a loop's variable.
ValueRange rangeOf(const StmtNode& loop, IndexSimplifier& simplify);

} // namespace nestwright
