#pragma once
/// \file What a target plugin implements: loop IR to kernel. Everything fits on one screen.

#include "core/backend/backend_survey.h"
#include "core/backend/code_text.h"
#include "core/backend/device.h"
#include "core/backend/kernel_artifact.h"
#include "core/lower/lower.h"
#include "core/target/environment.h"
#include "core/target/target.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// What lowering has to know of a target. Everybody who compiles a program for a target asks here,
/// so that what is tuned, run and shown is the same code.
inline LowerOptions lowerOptionsFor(const TargetFacts& target) {
  LowerOptions options;
  options.gpu = target.gpu;
  options.lowering = target.lowering;
  options.vectorBytes = target.vectorBytes;
  options.vectorRegisters = target.vectorBytes >= 64 ? 32 : 16; // AVX-512 doubled both
  options.dotProducts = dotProductsOf(target);
  options.cores = target.cores;
  // A region costs a few microseconds on idle cores, in which one thread does this much.
  constexpr double kMinParallelVectors = 32768;
  options.minParallelWork = kMinParallelVectors * target.vectorBytes / 4;
  return options;
}

/// What a kernel's object calls its symbols; it does not change its code.
struct KernelSymbols {
  std::string entry; // empty: after the function
  /// Before the three functions of the threads' runtime that are called: "mine_" calls
  /// mine_parallel for GOMP_parallel, mine_thread_number for omp_get_thread_num, and
  /// mine_thread_count for omp_get_num_threads. Empty: libgomp's.
  std::string runtime;
};

struct CompileOptions {
  int optimisationLevel = 3;
  /// False for the naive program: compiled as a plain C compiler at -O1 would.
  bool vectorise = true;
  /// Plain: sums keep their order, and lanes whose elements are no neighbours are loaded and stored
  /// one by one.
  Lowering lowering = Lowering::Full;
  /// What the code may use of the processor. It need not be one that can run it.
  InstructionSet instructionSet = InstructionSet::Native;
  /// Of text(): name for each instruction the line of print(function) that it came from, counted
  /// from 1; linkCode() reads that. The code itself stays the same.
  bool marks = false;
  KernelSymbols symbols = {}; // of code that the host calls
  /// Of a GPU's backend: what to compile for; without it, the device of this machine.
  std::optional<GpuFacts> gpu;
};

/// What compiling has to know of a target, as lowerOptionsFor() has what lowering needs.
inline CompileOptions compileOptionsFor(const TargetFacts& target) {
  CompileOptions options;
  options.gpu = target.gpu;
  options.lowering = target.lowering;
  options.instructionSet = target.instructionSet;
  return options;
}

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0; // "llvm"
  /// Facts of the machine that this backend compiles for; of a GPU's, of the device that is named
  /// as in DeviceOptions. Throws SystemError (DeviceError on a GPU) when there is none, UsageError
  /// when the name does not choose one.
  virtual TargetFacts target(int threads, const std::string& device = {}) const = 0;
  /// Throws Error with the compiler's full text.
  virtual KernelArtifact compile(const LoopFunction& function,
                                 const CompileOptions& options = {}) const = 0;
  /// The forms of text(), the one for people to read first, the one nearest to the machine last.
  virtual std::vector<CodeText> texts() const = 0;
  /// Throws Error as compile() does, SystemError for a form that is missing here.
  virtual std::string text(const LoopFunction& function, CodeForm form,
                           const CompileOptions& options = {}) const = 0;
  /// A device of its kind, for this process alone. Throws SystemError when there is none.
  virtual std::unique_ptr<Device> openDevice(const DeviceOptions& options = {}) const = 0;
  /// A kernel that the host calls: what openDevice() would load. Throws Error when the artifact
  /// cannot be linked, and UsageError when its kernels run on a GPU.
  virtual std::unique_ptr<Kernel> load(const KernelArtifact& artifact) const;
  /// What of a device's state of now makes measurements worse than they could be (C33); the device
  /// is named as in DeviceOptions.
  virtual std::vector<EnvironmentFinding> environment(const std::string& device = {}) const {
    (void)device;
    return {};
  }
  /// What of it is here, for `nestwright doctor`; empty when it needs nothing that could be
  /// missing.
  virtual BackendSurvey survey() const { return {}; }
};

/// The form nearest to the machine that can be had here.
CodeForm nearestForm(const Backend& backend);
/// The form itself. Throws UsageError where the backend has no such form, and SystemError where it
/// cannot be had here.
CodeForm shownForm(const Backend& backend, CodeForm form);

} // namespace nestwright
