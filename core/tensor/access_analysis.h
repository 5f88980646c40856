#pragma once
/// \file Who reads whom, and how: the predicates that the sketch rules ask
/// (handbook/ansor.md 1.2 to 1.4). Operators are numbered as in the DAG.

#include "core/tensor/compute_dag.h"

#include <memory>
#include <vector>

namespace nestwright {

class AccessAnalysis {
 public:
  explicit AccessAnalysis(ComputeDag dag);

  const ComputeDag& dag() const;
  /// Operators that read `op` / that `op` reads, ascending.
  const std::vector<int>& directConsumers(int op) const;
  const std::vector<int>& directProducers(int op) const;
  /// All index tuples with which `consumer` reads `producer`.
  const std::vector<std::vector<Expr>>& reads(int consumer, int producer) const;

  bool isStrictlyInlineable(int op) const;
  bool needsMultiLevelTiling(int op) const;
  bool isOutput(int op) const;
  /// Number of leading dimensions that both share along all paths between them; 0 without a path.
  int commonOuterIterators(int a, int b) const;
  /// True when every step from `a` to its (transitive) consumer `t` is element for element.
  bool elementwiseMatch(int a, int t) const;

 private:
  struct Data;
  static void classify(Data& data, int op);

  std::shared_ptr<const Data> data_;
};

} // namespace nestwright
