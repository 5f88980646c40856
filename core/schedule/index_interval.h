#pragma once
/// \file Intervals of index values whose lower end depends on enclosing loops.

#include "core/schedule/affine.h"

#include <vector>

namespace nestwright {

/// The values min, min + 1, ..., min + extent - 1. An extent of kUnbounded says that nothing is
/// known, whatever `min` is.
struct Interval {
  Affine min;
  std::int64_t extent = 1;

  bool isUnknown() const { return extent >= kUnbounded; }
  bool isExactly(std::int64_t size) const { return extent == size && min.isConstant(0); }
};
inline Interval unknownInterval() {
  return {0, kUnbounded};
}

Interval floorDiv(const Interval& a, std::int64_t divisor);
Interval floorMod(const Interval& a, std::int64_t divisor,
                  FusedVariable knowledge = FusedVariable::KnownRange);

/// The smallest interval around both that can be written down; unknown when their lower ends are
/// not a constant apart.
Interval hull(const Interval& a, const Interval& b);

/// Values of the variables of an index expression; there are few.
using Environment = std::vector<std::pair<const VarNode*, Interval>>;

/// An interval around all values of the index expression (an over-approximation where it is not
/// affine; unknown where nothing is known, as for an index that is itself loaded).
Interval evaluate(const Expr& index, const Environment& environment);

/// The interval with every loop variable but `kept` running over its range.
Interval relaxed(const Interval& a, const std::vector<const VarNode*>& kept);

} // namespace nestwright
