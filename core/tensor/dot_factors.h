#pragma once
/// \file Products of narrow numbers that are summed as wider ones.

#include "core/tensor/expr.h"

#include <optional>
#include <vector>

namespace nestwright {

/// One side of a product: an element of `load` where `conditions` hold, else zero, converted to the
/// type that is summed.
struct DotFactor {
  Expr load;
  std::vector<Expr> conditions; // scalar
};

/// A product whose sums some processors add in one instruction, `length` terms at a time: 2 of
/// bfloat16, summed as float32, and 4 of uint8 and int8, summed as int32.
struct DotFactors {
  DotFactor first, second; // of uint8 and int8: in this order
  int length = 0;
};

/// The term of such a sum, a scalar or a vector of them; nothing when `term` is none.
std::optional<DotFactors> dotFactors(const Expr& term);

} // namespace nestwright
