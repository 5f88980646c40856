#include "core/search/draft/gpu_draft.h"

#include "core/lower/lower.h"
#include "core/space/kernel_demand.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {

// Fitted once to 920 programs of twelve operators on an H200 (handbook/cuda.md 5.1).
constexpr double kWarpsForArithmetic = 8, kWarpsForTensors = 16;
constexpr double kOverlap = 2.5; // 1: parts wait for one another, infinity: none waits
constexpr double kLatencyShare = 0.5;
constexpr double kBarrierClocks = 60, kLaunchClocks = 3500;

/// What so many warps make of a unit that `needed` of them keep busy.
double busyShare(double warps, double needed) {
  return 1 - std::exp(-std::max(warps, 1.0) / needed);
}

} // namespace

KernelTime asBusy(const KernelTime& kernel) {
  KernelTime busy = kernel;
  for (const auto part : {&KernelTime::arithmetic, &KernelTime::issue, &KernelTime::special})
    busy.*part /= busyShare(kernel.warps, kWarpsForArithmetic);
  busy.tensor /= busyShare(kernel.warps, kWarpsForTensors);
  busy.latency *= kLatencyShare;
  busy.barriers *= kBarrierClocks;
  return busy;
}

double draftedClocks(const KernelTime& kernel) {
  const KernelTime busy = asBusy(kernel);
  const double parts[] = {std::max({busy.arithmetic, busy.issue, busy.special}),
                          busy.tensor,
                          busy.shared,
                          busy.l2,
                          busy.memory,
                          busy.latency};
  const double most = *std::ranges::max_element(parts);
  double sum = 0;
  for (const double part : parts)
    if (most > 0) sum += std::pow(part / most, kOverlap);
  return most * std::pow(sum, 1 / kOverlap) + busy.barriers + kLaunchClocks;
}

std::vector<KernelTime> draftedKernels(const State& program, const TargetFacts& target) {
  LowerOptions options;
  options.gpu = target.gpu;
  options.unroll = false;
  const std::vector<double> registers =
      registersOf(kernelDemands(program, inferBounds(program), *target.gpu));
  return kernelTimes(lower(program, options), registers, *target.gpu);
}

} // namespace nestwright
