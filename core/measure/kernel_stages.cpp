#include "core/measure/kernel_stages.h"

#include "core/support/error.h"

#include <fmt/format.h>

#include <utility>

namespace nestwright {

MeasureOptions checkedOptions(MeasureOptions options) {
  const auto require = [](bool good, const char* what) {
    if (!good) throw InputError(fmt::format("measure option {}", what));
  };
  require(options.threads >= 0, "threads must not be negative");
  require(options.builders >= 0, "builders must not be negative");
  require(options.repeats >= 1, "repeats must be at least 1");
  require(options.warmups >= 0, "warmups must not be negative");
  require(options.buildTimeoutSeconds > 0 && options.runTimeoutSeconds > 0 &&
              options.referenceTimeoutSeconds > 0,
          "build, run and reference timeout must be positive");
  require(options.jobsPerWorker >= 1, "jobs_per_worker must be at least 1");
  require(!options.flushCache || !options.evaluator.hasBatches(),
          "flush_cache goes with repeats: in a micro-batch a run finds what the one before left in "
          "the caches");
  require(options.relativeTolerance > 0 && options.absoluteTolerance >= 0,
          "tolerances: the relative one must be positive, the absolute one not negative");
  return options;
}

double runTimeout(const MeasureOptions& options, const MeasureRequest& request) {
  return request.naive ? options.referenceTimeoutSeconds : options.runTimeoutSeconds;
}

WorkLimits limitsFor(const MeasureOptions& options, const MeasureRequest& request, double seconds) {
  return {seconds, options.memoryLimitBytes, request.naive ? 1 : options.threads};
}

BuildWork buildWorkFor(const MeasureOptions& options, const MeasureRequest& request,
                       const TargetFacts& target) {
  return {limitsFor(options, request, options.buildTimeoutSeconds), target, request.dag,
          request.steps, request.naive};
}

LoadWork loadWorkFor(const MeasureOptions& options, const MeasureRequest& request,
                     KernelArtifact artifact) {
  return {limitsFor(options, request, runTimeout(options, request)), options.device, request.dag,
          options.inputSeed, std::move(artifact)};
}

StageWords buildStage(const MeasureOptions& options) {
  return {"the compiler", "building", Verdict::CompileError, Verdict::BuildTimeout,
          options.buildTimeoutSeconds};
}

StageWords loadStage(const MeasureOptions& options, const MeasureRequest& request) {
  return {"loading the kernel", "loading the kernel", Verdict::LoadError, Verdict::RunTimeout,
          runTimeout(options, request)};
}

StageWords runStage(const MeasureOptions& options, const MeasureRequest& request) {
  return {"the kernel", "running the kernel", Verdict::RunError, Verdict::RunTimeout,
          runTimeout(options, request)};
}

} // namespace nestwright
