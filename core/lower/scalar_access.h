#pragma once
/// \file An access of any form, as one scalar index per dimension.

#include "core/lower/index_simplifier.h"
#include "core/lower/loop_ir.h"

#include <optional>

namespace nestwright {

/// What one lane of a load or store touches.
struct ScalarAccess {
  std::vector<Expr> indices; // one per dimension of the buffer, in terms of `lane`
  LinearForm position;       // the row-major position
  Var lane;                  // runs over [0, lanes); null when there is one lane only
  int lanes = 1;
};

/// Nothing when a vector index is no arithmetic over ramps. The simplifier learns the lane's range.
std::optional<ScalarAccess> scalarAccess(const BufferNode& buffer, const std::vector<Expr>& indices,
                                         IndexSimplifier& simplify);

} // namespace nestwright
