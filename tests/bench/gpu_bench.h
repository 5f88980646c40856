#pragma once
/// \file What the parts of bench_cuda are given: the GPU, and how its workers are started.

#include "core/measure/worker_launch.h"
#include "core/measure/worker_target.h"
#include "core/session/run/session.h"
#include "core/target/target.h"

#include <string>

namespace nestwright::bench {

struct GpuBench {
  WorkerLaunch launch; // of the program beside this one, where it is empty
  std::string device;  // as DeviceOptions has it
  TargetFacts target;  // asked for once: each question starts a process that wakes the card

  /// Throws as measuredTarget().
  void askForTarget() {
    MeasureOptions options;
    options.device = device;
    target = measuredTarget("cuda", options, launch);
  }
};

/// A session as `packaging/gpu` has them: for this GPU, with the policy that learns.
inline SessionConfig gpuSession(const GpuBench& bench, const std::string& task, std::int64_t trials,
                                std::uint64_t seed) {
  SessionConfig config;
  config.subjects = {task};
  config.target = "cuda";
  config.policy = "evolutionary";
  config.trials = trials;
  config.seed = seed;
  config.measure.device = bench.device;
  return config;
}

} // namespace nestwright::bench
