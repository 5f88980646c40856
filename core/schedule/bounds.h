#pragma once
/// \file Bound inference: which region of every stage its consumers need at the place where it is
/// computed, and from it the extent of every loop.

#include "core/schedule/state.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace nestwright {

/// The region of one axis: [min, min + extent). `min` is over loop variables of enclosing loops.
struct AxisRange {
  Expr min;
  std::int64_t extent = 0;
};

/// What is known of one stage; everything is empty for placeholders and inlined stages.
struct StageBounds {
  /// Region of each axis of the operator (spatial, then reduction) that one execution computes.
  std::vector<AxisRange> axes;
  /// Extent and loop variable of each iterator of the state's stage, outermost first. Variables
  /// run from 0, and are named as TVM names them ("yy.outer.outer.inner", "i.j.fused").
  std::vector<std::int64_t> extents;
  std::vector<Var> loopVars;
  /// Each axis as an expression of loop variables of this stage and of its enclosing loops:
  /// the minimum plus the position inside the region. Extent-1 loops do not occur.
  std::vector<Expr> axisValues;
  /// Conditions that an iteration must satisfy to lie inside the region (imperfect splits).
  std::vector<Expr> guards;
};

struct Bounds {
  std::vector<StageBounds> stages; // one per stage
};

/// Infers the bounds of a concrete state. Inlined stages are seen through: their consumers read
/// what they read. Throws IllegalSchedule when a stage is attached where its region is not a
/// constant-size box, or to a stage that does not (transitively) read it.
Bounds inferBounds(const State& state);

/// The state with every iterator's range filled in, ready for printing.
State withBounds(const State& state);
/// The same from bounds that are known already: those of this state.
State withBounds(const State& state, const Bounds& bounds);

/// Symbolic simplification of index expressions and conditions on them: affine sums with
/// floorDiv/floorMod of variables of known range, printed in the order in which the terms came;
/// comparisons that the ranges decide become literals. Other nodes (loads, calls, floats) keep
/// their form around simplified operands. `extentOf` gives a variable's extent (values 0 ..
/// extent-1) or 0 when unknown.
Expr simplifyIndex(const Expr& e, const std::function<std::int64_t(const Var&)>& extentOf);

} // namespace nestwright
