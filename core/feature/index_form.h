#pragma once
/// \file Index expressions of a statement: from what the operator's body says, over sums of loops,
/// to the form in which they are counted and measured.

#include "core/feature/statement.h"

namespace nestwright {

/// What the axes of an operator stand for.
using AxisValues = std::vector<std::pair<const VarNode*, Affine>>;

/// The index expression with axes replaced by their values and loops by their ranges. What is no
/// sum, division, remainder, minimum or maximum becomes an atom of unknown value.
Affine indexValue(const Expr& index, const AxisValues& values,
                  const std::vector<EnclosingLoop>& loops);

/// Appends the index in the form that the public implementation's simplifier gives it: terms by
/// descending factor, subtractions last. Counts its operations where `counts` is given, and then
/// lists the atoms that have operations of their own (loads, choices, functions) in `opaque`.
void writeIndex(Affine index, const std::vector<EnclosingLoop>& loops, IndexCode& code,
                OperationCounts* counts, std::vector<Expr>* opaque);

} // namespace nestwright
