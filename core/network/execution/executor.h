#pragma once
/// \file Running a whole network from one kernel per task.

#include "core/network/execution/execution_plan.h"

#include <functional>
#include <span>

namespace nestwright {

/// A compiled task: reads the DAG's inputs, writes its output; buffers in that order, aligned to 64
/// bytes and dense row-major, or packed where the task's layouts say so.
using KernelFunction = std::function<void(std::span<void* const> buffers)>;

/// A network in memory, ready to run. Not thread-safe; kernels may use threads of their own.
class Executor {
 public:
  /// Makes all constants, so this takes a while for large networks. `kernels` has one entry a task
  /// of the partition (which is only read here), and `layouts` too, or none at all: constants are
  /// packed here, once. Throws InputError when something else than a constant is to be packed.
  Executor(const Partition& partition, std::vector<KernelFunction> kernels,
           const std::vector<InputLayouts>& layouts = {});
  ~Executor();
  Executor(Executor&&) noexcept;
  Executor& operator=(Executor&&) noexcept;

  /// Copies the values in. Throws InputError when shape or element type are not the input's.
  void setInput(std::size_t index, const Array& values);
  /// One run on the inputs that are set. This is what a latency measurement times.
  void run() const;
  /// One run, with the seconds that each group took, in the order of the partition's groups.
  std::vector<double> runTimed() const;
  /// A copy of an output of the last run.
  Array output(std::size_t index) const;

  const ExecutionPlan& plan() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// All outputs for the given inputs.
std::vector<Array> execute(Executor& executor, const std::vector<Array>& inputs);

/// The task's DAG run by the interpreter of core/tensor: slow, and right.
KernelFunction interpretedKernel(const ComputeDag& dag);

/// The whole network by the interpreter.
std::vector<Array> interpret(const Partition& partition, const std::vector<Array>& inputs);

/// Inputs to try a network with: floats uniform in [-1, 1), integers that are valid indices of the
/// tables that they select from.
std::vector<Array> randomInputs(const Network& network, std::uint64_t seed);

/// ||a - b|| / ||b||, both as flat vectors; 0 for two zero vectors, infinity when `a` holds what is
/// not a number.
double relativeError(const Array& a, const Array& b);

} // namespace nestwright
