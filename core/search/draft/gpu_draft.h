#pragma once
/// \file A draft of how long a GPU's program takes, without a cost model: from what each part of
/// the device has to do for its lowered kernels (handbook/cuda.md 5.1).

#include "core/feature/gpu_features.h"
#include "core/schedule/state.h"
#include "core/support/infinity.h"
#include "core/target/target.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace nestwright {

/// The parts as they count for a kernel's time: arithmetic and tensor cores take longer where there
/// are too few warps to keep them busy, and latency and barriers are in clocks of the whole kernel.
KernelTime asBusy(const KernelTime& kernel);

/// Clocks of a kernel, its launch included: its parts work side by side, as far as there are warps
/// to keep them busy.
double draftedClocks(const KernelTime& kernel);

/// Of each kernel of a program, in their order. Throws IllegalSchedule where it cannot be lowered.
std::vector<KernelTime> draftedKernels(const State& program, const TargetFacts& target);

/// Of programs that come best first by `score`, those that the draft tells apart come before the
/// others, whose scores are within half a percent of one before them: it does not see what else
/// they differ in, such as how far loops are unrolled, and one of each kind is worth more than many
/// of one.
template <class Program, class Score>
void putVarietyFirst(std::vector<Program>& programs, const Score& score) {
  constexpr double kSame = 0.007; // of the logarithm to base 2
  double last = kInfinity;
  std::stable_partition(programs.begin(), programs.end(), [&](const Program& program) {
    if (std::fabs(score(program) - last) < kSame) return false;
    last = score(program);
    return true;
  });
}

} // namespace nestwright
