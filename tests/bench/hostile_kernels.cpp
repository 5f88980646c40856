#include "tests/bench/hostile_kernels.h"

#include "core/measure/protocol.h"
#include "core/measure/time_allowed.h"
#include "core/measure/work_failure.h"
#include "core/support/error.h"

#include <algorithm>

namespace nestwright::bench {
namespace {

constexpr int kElements = 1024;
constexpr const char* kGood = "out[i] = 2.0f * in[i];";

std::string sourceOf(const std::string& statement) {
  return "extern \"C\" __global__ void nw_hostile(const float* in, float* out, float* work) {\n"
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " +
         statement + "\n}\n";
}

KernelArtifact artifactOf(const cuda::Compiled& compiled, const GpuFacts& gpu,
                          std::int64_t workspaceBytes) {
  KernelArtifact artifact;
  KernelLaunch& launch = artifact.launches.emplace_back();
  launch.entry = "nw_hostile";
  launch.grid = {kElements / 256, 1, 1};
  launch.block = {256, 1, 1};
  launch.arguments = {{0, 0}, {1, 0}, {-1, 0}};
  artifact.code = compiled.cubin;
  artifact.architecture = gpu.architecture.name();
  artifact.compiler = "NVRTC";
  artifact.workspaceBytes = std::max<std::int64_t>(workspaceBytes, 4);
  artifact.parameterBytes = {kElements * 4, kElements * 4};
  artifact.inputCount = 1;
  return artifact;
}

/// One kernel on the pool's only worker, as Measurer has it: loaded, then run.
MeasureResult measure(WorkerPool& pool, KernelArtifact artifact, double seconds) {
  MeasureResult result;
  const StageWords loading{"loading the kernel", "loading the kernel", Verdict::LoadError,
                           Verdict::RunTimeout, seconds};
  const StageWords running{"the kernel", "running the kernel", Verdict::RunError,
                           Verdict::RunTimeout, seconds};
  LoadWork load;
  load.limits = {seconds, 0, 1};
  load.dag = fmt::format("A = PLACEHOLDER [{}]\nB(i) = (A[i]*2f)\n", kElements);
  load.artifact = std::move(artifact);
  RunWork run;
  run.limits = load.limits;
  run.timing.repeats = 1;
  run.timing.minRepeatSeconds = 0;
  WorkerJob job{toFrame(load), secondsToLoad(seconds, true), kPlainAnswer, {}};
  job.onOutcome = [&](WorkOutcome&& outcome) -> NextWork {
    if (!takeAnswer(result, outcome, loading, [](Frame&& answer) { requireLoaded(answer); }))
      return {nullptr, true};
    auto next = std::make_unique<WorkerJob>(
        WorkerJob{toFrame(run), secondsToAnswer(seconds, true), answerWithNumbers(1), {}});
    next->onOutcome = [&](WorkOutcome&& ran) -> NextWork {
      const bool good = takeAnswer(result, ran, running, [&](Frame&& answer) {
        result.seconds = ranTiming(answer, 1).seconds;
      });
      return {nullptr, !good};
    };
    return {std::move(next), false};
  };
  std::deque<WorkerJob> jobs;
  jobs.push_back(std::move(job));
  pool.run(std::move(jobs), nullptr);
  return result;
}

} // namespace

const std::vector<HostileKernel>& hostileKernels() {
  static const std::vector<HostileKernel> kernels{
      {"illegal address", "*(float*)((unsigned long long)out + (1ull << 44)) = in[i];",
       Verdict::RunError},
      {"misaligned", "*(volatile double*)((char*)out + 4 + 8 * i) = in[i];", Verdict::RunError},
      {"trap", "if (i == 7) asm volatile(\"trap;\");", Verdict::RunError},
      {"endless", "for (volatile int spin = 1; spin;) {}", Verdict::RunTimeout},
      {"out of memory", kGood, Verdict::LoadError, std::int64_t{1} << 42},
  };
  return kernels;
}

std::vector<HostileOutcome> runHostileKernels(const std::vector<std::string>& workerCommand,
                                              const TargetFacts& target,
                                              const cuda::Nvrtc& compiler, int times,
                                              double seconds) {
  const GpuFacts& gpu = target.gpu.value();
  PoolSettings settings;
  settings.command = workerCommand;
  WorkerPool pool(std::move(settings));
  const auto compile = [&](const std::string& statement) {
    return compiler.compile(sourceOf(statement), {gpu.architecture, false});
  };
  const cuda::Compiled good = compile(kGood);
  std::vector<HostileOutcome> outcomes;
  for (const HostileKernel& kernel : hostileKernels()) {
    const cuda::Compiled compiled = compile(kernel.statement);
    for (int i = 0; i < times; ++i) {
      HostileOutcome outcome{&kernel, {}, {}};
      outcome.result = measure(pool, artifactOf(compiled, gpu, kernel.workspaceBytes), seconds);
      outcome.next = measure(pool, artifactOf(good, gpu, 0), std::max(seconds, 10.0));
      outcomes.push_back(std::move(outcome));
    }
  }
  return outcomes;
}

} // namespace nestwright::bench
