#pragma once
/// \file Pass: loops peeled rather than guarded inside.

#include "core/lower/loop_ir.h"

namespace nestwright {

/// Frees the main part of a loop nest of its guards: the bounds of padding, and the ends of loops
/// that were split unevenly.
///
/// - A guard on a loop of the nest alone cuts that loop into the range where it holds and the rest.
/// - A guard that depends on loops further out too chooses between two versions of the nest, one
///   without the guard for all outer iterations where it holds throughout, if these are most. Only
///   for guards that stand in the way of vectors and register tiles: those of whole statements, and
///   those that depend on the innermost loop. Others cost a predicted branch.
///
/// Guards of padding that changes nothing in a reduction are left to the register tiles
/// (tap_plan.h), but for those that depend on the elements side by side in a vector. Updates that
/// change nothing, as where all that a piece reads is such padding, are removed.
///
/// Applies to nests around one store, or around an initialisation and its update: their iterations
/// touch different elements, hence the pieces may run one after another. A nest grows to a few
/// pieces at most. Runs before promote_accumulators and vectorize_loops, which then see plain
/// nests.
Stmt peelGuards(const Stmt& s);

} // namespace nestwright
