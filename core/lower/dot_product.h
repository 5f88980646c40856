#pragma once
/// \file Updates that add a short sum of products, which some processors make with one instruction
/// in each lane (core/target/dot_products.h, handbook/ansor.md 11.9).

#include "core/lower/loop_ir.h"
#include "core/target/dot_products.h"
#include "core/tensor/dot_factors.h"

#include <optional>

namespace nestwright {

/// How many terms such as `operand`, what an update adds, are one step along the reduction: what an
/// instruction adds at once, or several of the available ones do; 0 where none does.
int dotLength(const Expr& operand, const DotProducts& available);

/// for along in [0, length), unrolled: sums = sums + first * second
///
/// in which the sums, one or a vector of them, do not move with the loop. The instruction fits
/// where elements along the loop are neighbours in both factors, and those of a lane lie behind
/// those of the lane before it, or are the same for all lanes; everywhere else the loop means what
/// it says.
struct DotProduct {
  Var along;
  int length = 0;
  DotFactor first, second; // of uint8 and int8: in this order
};

/// Nothing when the loop has another form.
std::optional<DotProduct> dotProduct(const StmtNode& loop);

/// for along in [0, 2 or 4), unrolled: a copy of one element, or of a vector of them. Returns
/// `along`; null when the loop has another form. What a dot product reads is laid out by such.
Var dotCopy(const StmtNode& loop);

} // namespace nestwright
