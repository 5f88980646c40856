#pragma once
/// \file Kernels that do to a GPU what a kernel must not do, given to a worker as a session gives
/// its programs: each costs itself only.

#include "core/result/measure_result.h"
#include "plugins/cuda/compile/nvrtc.h"
#include "tests/bench/gpu_bench.h"

#include <string>
#include <vector>

namespace nestwright::bench {

struct HostileKernel {
  std::string name;      // "illegal address"
  std::string statement; // of the kernel's body, where `out` is its output of 1024 floats
  Verdict verdict;       // that it must get
  std::int64_t workspaceBytes = 0;
};

/// Illegal address, misaligned, trap, endless, out of memory.
const std::vector<HostileKernel>& hostileKernels();

/// What became of one, and of the good kernel that came next.
struct HostileOutcome {
  const HostileKernel* kernel = nullptr;
  MeasureResult result, next;
  bool isRight() const {
    return result.verdict == kernel->verdict && !result.error.empty() &&
           next.verdict == Verdict::Ok;
  }
};

struct HostileLimits {
  int times = 6;         // that each of them runs, one round of all after the other
  double seconds = 2;    // that a kernel gets
  double allSeconds = 0; // after which no further round begins; 0: any time
};

/// On this GPU. Throws SystemError when the workers do not start, Error when a kernel does not
/// compile.
std::vector<HostileOutcome> runHostileKernels(const GpuBench& bench, const cuda::Nvrtc& compiler,
                                              const HostileLimits& limits);

} // namespace nestwright::bench
