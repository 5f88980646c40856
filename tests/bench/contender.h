#pragma once
/// \file What the kernel benchmark compares: implementations of one operator over the same inputs.

#include "core/tensor/compute_dag.h"
#include "tests/plugins/kernel_runner.h"

#include <functional>
#include <string>
#include <vector>

namespace nestwright::bench {

/// Copies of a task's inputs, all with the same random values: running on them in turns keeps one
/// run from finding its operands in the caches as the run before left them.
class InputSets {
 public:
  InputSets(const ComputeDag& dag, std::size_t sets);

  std::size_t size() const { return sets_.size(); }
  const ComputeDag& dag() const { return dag_; }
  /// The tensor's elements; NW_ASSERTs that the DAG has an input of this name.
  float* input(std::size_t set, const std::string& name) const;
  /// The same of any type.
  void* data(std::size_t set, const std::string& name) const;
  /// All inputs in the order of the kernel's parameters.
  std::vector<void*> inputs(std::size_t set) const;

 private:
  ComputeDag dag_;
  std::vector<std::vector<test::AlignedBytes>> sets_;
};

/// One implementation of an operator, ready to run on every input set.
struct Contender {
  std::string name;   // "nestwright", "oneDNN", "OpenBLAS"
  std::string detail; // which of its implementations
  std::function<void(std::size_t set)> run;
  std::function<const void*(std::size_t set)> output;
  /// The library has no kernel made for this operator, and something slower stands in.
  bool standIn = false;
};

/// Seconds per run.
struct Times {
  double best = 0, median = 0;
};

/// Times all contenders in turns, `turns` batches of at least `batchSeconds` each, rotating over
/// `sets` input sets from run to run; the first run of each batch is not timed.
std::vector<Times> timeInTurns(const std::vector<Contender>& contenders, std::size_t sets,
                               int turns, double batchSeconds);

} // namespace nestwright::bench
