#pragma once
/// \file The values that integer expressions over an operator's axes can take, under the conditions
/// that guard them.

#include "core/tensor/compute_dag.h"
#include "core/tensor/wide_sum.h"

#include <unordered_map>

namespace nestwright {

/// Bounds are exact for sums of axes, floor divisions and remainders of them, and conditions on
/// one such sum at a time; they may be too wide for others, and are never too narrow.
class BoundsAnalysis {
 public:
  explicit BoundsAnalysis(const OpNode& op);

  /// All values of a scalar integer expression under the conditions that are assumed. What is read
  /// from memory can be anything that its type holds; an empty result says that the conditions
  /// exclude one another.
  ValueBounds bounds(const Expr& e);

  /// Whether the value of `e`, found from those of its operands, lies in its type whatever is
  /// assumed.
  bool staysInType(const Expr& e);

  /// Runs `f` under the assumption that the condition is `value`: once for each of its
  /// alternatives, never where it cannot be.
  void assuming(const Expr& condition, bool value, const std::function<void()>& f);

 private:
  using Facts = std::vector<WideSum>; // each sum is at most zero
  template <class T>
  struct Known {
    Expr expr; // keeps the key alive
    T value;
  };
  template <class T>
  using Cache = std::unordered_map<const ExprNode*, Known<T>>;
  /// What was found under one list of facts.
  struct Findings {
    Cache<WideSum> sums;
    Cache<ValueBounds> atoms;
  };

  const WideSum& sum(const Expr& e);
  WideSum sumOf(const Expr& e);
  WideSum divided(const Expr& e);
  WideSum chosen(const Expr& e);
  void joinQuotients(WideSum& sum);
  ValueBounds bounds(const WideSum& sum);
  ValueBounds atomBounds(const Expr& atom);
  ValueBounds ofAtom(const Expr& atom);
  ValueBounds ofExtremum(const Expr& e);
  ValueBounds ofChoice(const Expr& e);
  ValueBounds narrowed(const Expr& atom, ValueBounds bounds);
  ValueBounds withoutOneTerm(const WideSum& sum, ValueBounds bounds);
  ValueBounds plainBounds(const Expr& e);
  ValueBounds plain(const Expr& e);
  std::vector<Facts> alternatives(const Expr& condition, bool value);
  std::vector<Facts> comparison(ExprKind kind, const Expr& a, const Expr& b);
  Facts atMost(const Expr& a, const Expr& b, int distance);

  std::unordered_map<const VarNode*, std::int64_t> extents_;
  Facts facts_;
  std::size_t splits_ = 1; // alternatives that the assumptions so far have together
  std::vector<Findings> findings_;
  Cache<ValueBounds> plain_; // bounds from operand to operand, without facts
};

} // namespace nestwright
