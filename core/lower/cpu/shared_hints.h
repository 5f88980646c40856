#pragma once
/// \file Hints for a stretch of an array, shared among the steps of the loops that are to name it.

#include "core/lower/index_simplifier.h"
#include "core/lower/loop_ir.h"

#include <span>
#include <vector>

namespace nestwright {

inline constexpr std::int64_t kCacheLine = 64; // bytes

/// How many iterations of the loops, outermost first, come before this one.
Expr stepOf(std::span<const Stmt> loops);

/// How many hints name so many elements.
std::int64_t hintsFor(const Buffer& array, std::int64_t elements);

/// What the step's hints are for `share` elements of the stretch that begins with the flat index
/// `first`.
std::vector<Stmt> hintsOfStep(const Buffer& array, const Expr& first, const Expr& step,
                              std::int64_t share, PrefetchFor use, IndexSimplifier& simplify);

} // namespace nestwright
