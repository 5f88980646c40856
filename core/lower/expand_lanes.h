#pragma once
/// \file One iteration of a loop turned into all its iterations at once: the expression part of
/// vectorisation.

#include "core/lower/index_simplifier.h"
#include "core/lower/loop_ir.h"

namespace nestwright {

/// Replaces a loop variable by 0 .. lanes-1 side by side.
class LaneExpander {
 public:
  /// `simplify` knows the ranges of the variables; `lane` runs over [0, lanes).
  LaneExpander(IndexSimplifier& simplify, Var lane, int lanes)
      : simplify_(simplify), lane_(std::move(lane)), lanes_(lanes) {}

  /// The store over all lanes; null when it cannot be one statement: another lane stores to the
  /// same element, or lanes disagree on which side of an if_then_else to evaluate.
  Stmt store(const Stmt& store);

  /// The expression over all lanes, a scalar when all lanes agree; null as above.
  Expr expand(const Expr& e);

 private:
  Expr expandInteger(const Expr& e);
  Expr expandLoad(const Expr& e);
  Expr expandOperands(const Expr& e);
  std::vector<Expr> expandIndices(const BufferNode& buffer, const std::vector<Expr>& indices);
  Expr widened(const Expr& e) const;

  IndexSimplifier& simplify_;
  Var lane_;
  int lanes_;
};

/// The row-major position of an element, from one index per dimension (or already flattened).
Expr flatIndex(const BufferNode& buffer, const std::vector<Expr>& indices);

/// A load whose indices may be a single flattened one.
Expr loadAt(const Buffer& buffer, std::vector<Expr> indices);

} // namespace nestwright
