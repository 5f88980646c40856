#pragma once
/// \file The innermost reduction of an update and the spatial loops that may be re-tiled around it.

#include "core/lower/index_simplifier.h"
#include "core/lower/loop_ir.h"

#include <optional>

namespace nestwright {

/// A loop, or consecutive pieces of one axis joined into one loop.
struct NestLoop {
  Var var;
  std::int64_t extent = 1;
  std::int64_t unrollMaxStep = 0;
};

/// for spatial: if outerConditions: [store = neutral] for reduction: if conditions:
///   store = combine(store, operand)
///
/// Every spatial loop addresses other elements of the stored buffer, so these loops may be placed
/// inside or outside of the reduction loops, in any order.
struct ReductionNest {
  std::vector<NestLoop> spatial, reduction;
  std::vector<Expr> outerConditions; // use no variable of the reduction loops
  std::vector<Expr> conditions;      // use some
  Stmt update;                       // the store
  Expr operand;                      // what is combined with the stored element
  Expr neutral;                      // null when the element holds a value that counts
  /// Iterations of all spatial loops inside the outermost reduction loop: while a tile is at least
  /// as large, placing spatial loops outside changes nothing of the order in which memory is used.
  std::int64_t insideReduction = 1;
};

/// Reads a chain of loops that starts at `s` as a reduction nest; nothing when it is none. `groups`
/// says how many runs of reduction loops belong to it, counted from the innermost; spatial loops
/// between them are then interchanged with them. Loops of the chain that are further out stay
/// outside: they are returned in `outside`, outermost first.
std::optional<ReductionNest> matchReductionNest(const Stmt& s, int groups,
                                                std::vector<Stmt>& outside);

/// When `s` is a chain of loops around an initialisation and its update: the update. Otherwise `s`.
Stmt updateOf(const Stmt& s);

/// Joins loops that are pieces of one axis (in every index, the outer one's coefficient is the
/// inner one's times its extent) into one loop.
void joinLoops(ReductionNest& nest, IndexSimplifier& simplify);

/// Calls `f` on the largest scalar integer expressions of `e` that read no memory: indices, and
/// operands of comparisons and casts.
void visitIntegers(const Expr& e, const std::function<void(const Expr&)>& f);

} // namespace nestwright
