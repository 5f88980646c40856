#pragma once
/// \file Running one kernel after another inside a worker: tensors, timing, comparison.

#include "core/backend/backend.h"
#include "core/backend/device_buffer.h"
#include "core/measure/elements.h"
#include "core/result/evaluation.h"
#include "core/target/machine_state.h"
#include "core/tensor/compute_dag.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// How the naive program is compiled, wherever it is needed.
CompileOptions naiveCompileOptions();

struct TimingOptions {
  int threads = 1;
  int warmups = 1, repeats = 3;
  double minRepeatSeconds = 0.02, maxTotalSeconds = 1.0;
  /// On a GPU tensors change places from run to run, so that none finds its own in the cache;
  /// elsewhere, and for tensors of a few bytes, caches are flushed before each repeat.
  bool flushCache = false;
  /// Of work before the first repeat, where the device has been idle: its clock rises with it.
  double wakeSeconds = 0;
  /// Repeats do not count until two in a row differ by no more than this part; 0: all do.
  double steadyWithin = 0;
  /// Micro-batches in place of repeats, where it has any; `seconds` is their limit for a kernel
  /// that takes long, too.
  Evaluator evaluator;
  double bestSeconds = 0; // see MeasureRequest
};

struct Timing {
  std::vector<double> seconds; // every repeat or micro-batch, per run
  int runsPerRepeat = 1;
  std::optional<StopReason> stopped; // of micro-batches
  int warmups = 0;                   // runs that were not timed, calibration included
  double kernelSeconds = 0;          // of all runs
  MachineState machine;              // when the last run had ended
};

struct CheckOutcome {
  bool agrees = false;
  double maxRelativeError = 0;
  std::string error;        // what differs; empty when it agrees
  double kernelSeconds = 0; // of the naive program, when it had to run
};

/// Runs of a kernel one after the other.
struct RepeatedRuns {
  int runs = 1;
  double seconds = 0; // of all of them together
};

/// This machine's processor, where programs can be compiled for it.
struct ProcessorPlace {
  const Backend* backend = nullptr;
  Device* device = nullptr;
};

/// Holds the tensors of the current task in the memory of a device, the loaded kernel, and the
/// naive program's outputs for the last few tasks. Thread-compatible.
class KernelRunner {
 public:
  /// Kernels run on `device`, and `backend` compiles for it. What they should give is computed by
  /// the naive program: on the processor, if there is one and the task is not too large for it,
  /// else on the device itself, where elements of a GPU's answer are compared with the definition.
  KernelRunner(Device& device, const Backend& backend, ProcessorPlace processor = {})
      : device_(device), backend_(backend), processor_(processor) {}

  /// Makes the tensors of `dag` (its exact text) ready with the inputs of `seed`; nothing happens
  /// when they are. Throws InputError for a text that is no DAG.
  void prepare(const std::string& dag, std::uint64_t seed);
  /// Links the artifact and packs the inputs that it wants packed, which is never part of a timing;
  /// drops the kernel before it. Throws Error when it does not fit the task.
  void load(const KernelArtifact& artifact, int threads);
  /// Times the loaded kernel. Throws what the kernel throws.
  Timing time(const TimingOptions& options);
  /// Warms the loaded kernel up and finds how many runs take so many seconds; calls `begin`, makes
  /// them, and calls `end`. Whatever threads the kernel has are there when `begin` is called.
  /// Throws what the kernel throws.
  RepeatedRuns repeat(double seconds, int threads, const std::function<void()>& begin,
                      const std::function<void()>& end);
  /// Compares what the loaded kernel left in the outputs with the naive program's outputs, and on a
  /// GPU also with what it leaves there when it runs again, and the inputs with what they were.
  CheckOutcome check(const Tolerance& tolerance);
  /// The loaded kernel was the naive program: its outputs are the reference from now on. On a GPU
  /// they become that when they are checked, if at all.
  void keepOutputsAsReference();

 private:
  using Bytes = std::vector<std::uint8_t>;
  struct Reference {
    std::string dag;
    std::uint64_t seed = 0;
    std::vector<Bytes> outputs;
    std::size_t bytes() const;
  };

  void packInputs(const KernelArtifact& artifact);
  KernelCall call(int threads) const;
  /// The bytes of an input as they were made; valid until the next call.
  const Bytes& inputBytes(std::size_t input);
  /// What the device has there; valid until the next call.
  const Bytes& bytesOf(const DeviceBuffer& buffer);
  const Reference& expected(const Tolerance& tolerance, double& kernelSeconds);
  Reference& addReference();
  bool isGpu() const { return device_.facts().gpu.has_value(); }
  bool asksProcessor() const;
  Reference naiveOutputs(const Backend& backend, Device& device, double& kernelSeconds);
  /// Throws Error unless elements of the outputs are what the definition gives.
  void requireRight(const Reference& reference, const Tolerance& tolerance);
  /// Which input the kernel has written to; empty for none. What kernels before it did that nobody
  /// has looked at is made good first, and the kernel runs again.
  std::string changedInput();
  std::string findChangedInput();
  void refillInputs();
  /// Which output is not as it was in the last run, `answer_`, when the kernel runs again, as after
  /// a race; empty for none.
  std::string changedOutput();

  /// Makes copies of all tensors, so that runs in turn find none of theirs in the cache; false
  /// where they are so small that it would take too many.
  bool makeCopies();
  /// Keeps the device busy until its clock is up. A kernel that takes very long is timed by that.
  void wake(const TimingOptions& options, Timing& timing);

  Device& device_;
  const Backend& backend_;
  ProcessorPlace processor_;
  std::string dagText_;
  std::uint64_t seed_ = 0;
  ComputeDag dag_;
  std::vector<DeviceBuffer> inputs_, outputs_; // as the DAG has them
  std::vector<DeviceBuffer> packedInputs_;     // of the loaded kernel
  std::vector<DeviceBuffer> copies_;           // of inputs_ and outputs_, for cold caches
  std::vector<std::vector<void*>> copySets_;   // parameters that are these copies
  // Pages of new memory take longer than copying to them, so candidates share these.
  std::vector<Bytes> madeInputs_; // by input, while they are worth their memory
  Bytes made_, read_;             // what inputBytes() and bytesOf() gave last
  std::vector<Bytes> answer_;     // the outputs of the run that is checked
  DeviceBuffer workspace_;
  std::vector<void*> parameters_;
  std::unique_ptr<Kernel> kernel_;
  bool ranUnchecked_ = false;   // the loaded kernel ran, and nobody has looked at the inputs since
  bool inputsDoubtful_ = false; // the same of one before it
  int threads_ = 1;             // of its last run
  std::optional<std::chrono::steady_clock::time_point> lastTimed_; // when a timing ended
  std::list<Reference> references_;                                // newest first
};

} // namespace nestwright
