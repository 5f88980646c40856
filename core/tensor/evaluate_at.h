#pragma once
/// \file Single elements of a DAG's tensors, where evaluating whole tensors would take too long.

#include "core/tensor/compute_dag.h"

#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace nestwright {

/// Computes elements from the definition, in double precision, as evaluate() does; what an element
/// needs of the operators before it is computed once and kept.
class ElementEvaluator {
 public:
  /// `input` gives element `n`, row-major, of an input.
  using Input = std::function<double(const Op& input, std::int64_t n)>;
  ElementEvaluator(ComputeDag dag, Input input) : dag_(std::move(dag)), input_(std::move(input)) {}

  /// Element `n`, row-major, of the operator's output. Throws InputError for a read out of bounds
  /// that no branch guards.
  double element(const Op& op, std::int64_t n);
  /// Nodes of expressions that were evaluated so far: what it has cost.
  double steps() const { return steps_; }

 private:
  using Position = std::vector<std::pair<const VarNode*, std::int64_t>>;
  double computed(const Op& op, std::int64_t n);
  double value(const Expr& e, const Position& position);
  double loaded(const Expr& e, const Position& position);

  ComputeDag dag_;
  Input input_;
  std::map<const OpNode*, std::unordered_map<std::int64_t, double>> known_;
  double steps_ = 0;
};

} // namespace nestwright
