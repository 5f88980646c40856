#pragma once
/// \file Hardware facts: what a search may assume and what no measurement can beat.

#include "core/target/gpu_facts.h"
#include "core/target/lowering.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// What programs for a processor may use of it.
enum class InstructionSet : std::uint8_t {
  Native, // all that it has
  // Up to a level of x86-64: instruction-set targets of this machine, never other machines.
  Sse42, // vectors of 16 bytes
  Avx2,  // of 32 bytes, with fused multiplication and addition
  Avx512 // of 64 bytes, and twice as many registers
};

struct TargetFacts {
  std::string backend = "llvm";                           // which plugin compiles for it
  Lowering lowering = Lowering::Full;                     // of programs for a processor
  InstructionSet instructionSet = InstructionSet::Native; // likewise
  std::string cpuName;               // as LLVM names it: "znver5"; empty when unknown
  std::string modelName;             // as the operating system names it
  std::vector<std::string> features; // "avx512f", ...
  int cores = 1;                     // that kernels may use; multiprocessors of a GPU
  int vectorBytes = 64;
  int cacheLineBytes = 64;
  std::int64_t l1Bytes = 32 << 10, l2Bytes = 1 << 20, l3Bytes = 16 << 20;
  std::int64_t memoryBytes = 0;
  /// Upper bounds, deliberately generous, for the plausibility floor (C10); per core.
  double peakFlopsPerCore = 0; // floating-point operations per second
  double peakBytesPerCore = 0; // bytes per second, from the nearest cache or shared memory
  std::optional<GpuFacts> gpu; // of a target whose programs have blocks and threads
  /// Nothing is measured: records of the machine answer in its place, and what they gave never
  /// counts as measured there (handbook/cost-models.md 4.3).
  bool recorded = false;

  /// Of all its cores together; 0 when unknown.
  double peakFlops() const { return peakFlopsPerCore * cores; }
  /// The eight integers of a public record (handbook/ansor.md 5.3).
  std::vector<std::int64_t> recordHardware() const;
  /// Target text of a record: "llvm -keys=cpu -mcpu=znver5 -num-cores=2", with " -lowering=plain"
  /// and " -isa=avx2" behind it where that is so, or
  /// "cuda -keys=cuda,gpu -arch=sm_90 -max_num_threads=1024 -thread_warp_size=32"; behind that of a
  /// recorded machine " -recorded".
  std::string text() const;
  /// Short stable identity of the machine kind: equal only where records may be compared (C28).
  std::string id() const;
};

/// The machine that we run on. `threads` limits `cores`; 0 takes all that the process may use.
TargetFacts hostTarget(int threads = 0);

/// A GPU that CUDA programs run on.
TargetFacts cudaTarget(const GpuFacts& gpu);

/// No kernel with this much work can be faster (seconds): operations over the peak rate or
/// compulsory bytes over the peak bandwidth, whichever is longer. `peakFlops`: where other units
/// than usual compute, a GPU's tensor cores; 0 for the usual ones.
double physicalFloorSeconds(const TargetFacts& target, double flops, double compulsoryBytes,
                            double peakFlops = 0);

} // namespace nestwright
