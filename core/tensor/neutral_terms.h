#pragma once
/// \file Which terms of a reduction change nothing, whatever is read: products with padding.

#include "core/tensor/compute_dag.h"

#include <vector>

namespace nestwright {

/// The conditions unless all of which hold `operand` changes nothing when `update` (Add, Mul, Min
/// or Max) combines it with an accumulator: around what is read, where the other side is 0 in a sum
/// of products, 1 in a product, and not beyond what an accumulator begins with in a minimum or
/// maximum. Each is a conjunct as the operand has it, and reads no memory.
///
/// Zero times anything counts as zero, infinities and NaN too: what a definition multiplies with
/// padding may be left out.
std::vector<Expr> neutralUnless(ExprKind update, const Expr& operand);

/// Whether the operand changes nothing at all.
bool isNeutral(ExprKind update, const Expr& operand);

/// Whether `padded` only puts a literal around the elements of a tensor, and the terms that read it
/// change nothing in what `reader` reduces.
bool isNeutralPadding(const OpNode& padded, const OpNode& reader);

} // namespace nestwright
