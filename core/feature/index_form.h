#pragma once
/// \file Index expressions of a statement: from what the operator's body says, over sums of loops,
/// to the form in which they are counted and measured.

#include "core/feature/statement.h"

namespace nestwright {

/// The index expression with axes replaced by their values and loops by their ranges. What is no
/// sum, division, remainder, minimum or maximum becomes an atom of unknown value. Terms come by
/// descending factor.
Affine indexValue(const Expr& index, const AxisValues& values,
                  const std::vector<EnclosingLoop>& loops);

/// Puts the terms in the order in which the public implementation's simplifier leaves them.
void sortTerms(Affine& index);

/// Appends an index with sorted terms in the form that the public implementation gives it, with
/// subtractions last. Counts its operations where `counts` is given, and then lists the atoms that
/// have operations of their own (loads, choices, functions) in `opaque`.
IndexPlace writeIndex(const Affine& index, const std::vector<EnclosingLoop>& loops,
                      std::vector<IndexNode>& nodes, OperationCounts* counts,
                      std::vector<Expr>* opaque);

} // namespace nestwright
