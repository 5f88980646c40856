#pragma once
/// \file Running one kernel after another inside a worker: tensors, timing, comparison.

#include "core/backend/backend.h"
#include "core/backend/guarded_buffer.h"
#include "core/measure/elements.h"
#include "core/target/machine_state.h"
#include "core/tensor/compute_dag.h"

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace nestwright {

/// How the naive program is compiled, wherever it is needed.
CompileOptions naiveCompileOptions();

struct TimingOptions {
  int threads = 1;
  int warmups = 1, repeats = 3;
  double minRepeatSeconds = 0.02, maxTotalSeconds = 1.0;
  bool flushCache = false;
};

struct Timing {
  std::vector<double> seconds; // every repeat, per run
  int runsPerRepeat = 1;
  int warmups = 0;          // runs that were not timed, calibration included
  double kernelSeconds = 0; // of all runs
  MachineState machine;     // when the last run had ended
};

struct CheckOutcome {
  bool agrees = false;
  double maxRelativeError = 0;
  std::string error;        // what differs; empty when it agrees
  double kernelSeconds = 0; // of the naive program, when it had to run
};

/// Holds the tensors of the current task, the loaded kernel, and the naive program's outputs for
/// the last few tasks. Thread-compatible.
class KernelRunner {
 public:
  explicit KernelRunner(const Backend& backend) : backend_(backend) {}

  /// Makes the tensors of `dag` (its exact text) ready with the inputs of `seed`; nothing happens
  /// when they are. Throws InputError for a text that is no DAG.
  void prepare(const std::string& dag, std::uint64_t seed);
  /// Links the artifact and packs the inputs that it wants packed, which is never part of a timing;
  /// drops the kernel before it. Throws Error when it does not fit the task.
  void load(const KernelArtifact& artifact, int threads);
  /// Times the loaded kernel. Throws what the kernel throws.
  Timing time(const TimingOptions& options);
  /// Compares what the loaded kernel left in the outputs with the naive program's outputs.
  CheckOutcome check(const Tolerance& tolerance);
  /// The loaded kernel was the naive program: its outputs are the reference from now on.
  void keepOutputsAsReference();

 private:
  struct Reference {
    std::string dag;
    std::uint64_t seed = 0;
    std::vector<std::vector<std::uint8_t>> outputs;
    std::size_t bytes() const;
  };

  void packInputs(const KernelArtifact& artifact);
  /// Runs `runs` times; seconds of all together.
  double runSeconds(int runs, int threads) const;
  const Reference& reference(double& kernelSeconds);
  Reference& addReference();
  Reference naiveOutputs(double& kernelSeconds) const;
  void flushCache();

  const Backend& backend_;
  std::string dagText_;
  std::uint64_t seed_ = 0;
  ComputeDag dag_;
  std::vector<GuardedBuffer> inputs_, outputs_; // as the DAG has them
  std::vector<GuardedBuffer> packedInputs_;     // of the loaded kernel
  GuardedBuffer workspace_;
  std::vector<void*> parameters_;
  std::unique_ptr<Kernel> kernel_;
  std::list<Reference> references_; // newest first
  std::vector<std::uint8_t> flushMemory_;
};

} // namespace nestwright
