#pragma once
/// \file Running a whole network from one kernel per task.

#include "core/backend/device.h"
#include "core/network/execution/execution_plan.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace nestwright {

/// A compiled task, loaded into a device: reads the DAG's inputs, writes its output; buffers in
/// that order, aligned as bufferAlignment() says and dense row-major, or packed as `layouts` say.
struct TaskKernel {
  std::shared_ptr<const Kernel> kernel;
  InputLayouts layouts;
  std::int64_t workspaceBytes = 0, threadWorkspaceBytes = 0; // as of KernelArtifact
};

/// The same as a function of this process.
using KernelFunction = std::function<void(std::span<void* const> buffers)>;

/// Seconds of one run.
struct LatencyProfile {
  std::vector<double> groups; // of each group of the partition
  double total = 0;           // of the whole run, by the same clock
};

/// Seconds in which values went to a device and came back, by the host's clock.
struct CopySeconds {
  double in = 0, out = 0;
};

/// A network in the memory of a device, ready to run. Not thread-safe; kernels may use threads of
/// their own. Throws DeviceError where the device refuses something.
class Executor {
 public:
  /// Makes all constants, so this takes a while for large networks. `kernels` has one entry a task
  /// of the partition (which is only read here); they run on `threads` threads where the device is
  /// the host. Constants are packed here, once. Throws InputError when something else than a
  /// constant is to be packed, or the network needs more memory than there is.
  Executor(const Partition& partition, std::shared_ptr<Device> device,
           std::vector<TaskKernel> kernels, int threads);
  /// On the host. `layouts` has one entry a task, or none at all.
  Executor(const Partition& partition, std::vector<KernelFunction> kernels,
           const std::vector<InputLayouts>& layouts = {});
  ~Executor();
  Executor(Executor&&) noexcept;
  Executor& operator=(Executor&&) noexcept;

  /// Copies the values in. Throws InputError when shape or element type are not the input's.
  void setInput(std::size_t index, const Array& values);
  /// One run on the inputs that are set.
  void run() const;
  /// The same; gives its seconds by the device's clock. This is what a latency measurement times.
  double time() const;
  /// The same, with the seconds of each group.
  LatencyProfile profile() const;
  /// A copy of an output of the last run.
  Array output(std::size_t index) const;

  /// What the last copies of all inputs and of all outputs took together; 0 where the device's
  /// memory is the host's.
  CopySeconds copySeconds() const;
  Device& device() const;
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

/// Inputs to try a network with: floats uniform in [-1, 1), integers of 8 bits of all their values,
/// other integers valid indices of the tables that they select from.
std::vector<Array> randomInputs(const Network& network, std::uint64_t seed);

/// ||a - b|| / ||b||, both as flat vectors; 0 for two zero vectors, infinity when `a` holds what is
/// not a number.
double relativeError(const Array& a, const Array& b);

} // namespace nestwright
