#include "tests/bench/hostile_kernels.h"

#include "core/measure/protocol.h"
#include "core/measure/time_allowed.h"
#include "core/measure/work_failure.h"
#include "core/support/clock.h"
#include "core/support/error.h"

#include <algorithm>
#include <chrono>

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
MeasureResult measure(WorkerPool& pool, const std::string& device, KernelArtifact artifact,
                      double seconds) {
  MeasureResult result;
  const StageWords loading{"loading the kernel", "loading the kernel", Verdict::LoadError,
                           Verdict::RunTimeout, seconds};
  const StageWords running{"the kernel", "running the kernel", Verdict::RunError,
                           Verdict::RunTimeout, seconds};
  LoadWork load;
  load.limits = {seconds, 0, 1};
  load.device = device;
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
      // The inputs are finite; a loop over a variable of its own NVRTC 13 takes for one that ends.
      {"endless", "while (*(volatile float*)&in[i] < 1e30f) {}", Verdict::RunTimeout},
      {"out of memory", kGood, Verdict::LoadError, std::int64_t{1} << 42},
  };
  return kernels;
}

std::vector<HostileOutcome> runHostileKernels(const GpuBench& bench, const cuda::Nvrtc& compiler,
                                              const HostileLimits& limits) {
  const auto start = std::chrono::steady_clock::now();
  const GpuFacts& gpu = bench.target.gpu.value();
  PoolSettings settings;
  settings.command = bench.launch.command.empty() ? workerCommand("worker") : bench.launch.command;
  settings.command.insert(settings.command.end(), {"--target", "cuda"});
  WorkerPool pool(std::move(settings));
  const auto compile = [&](const std::string& statement) {
    return compiler.compile(sourceOf(statement), {gpu.architecture, false});
  };
  const cuda::Compiled good = compile(kGood);
  std::vector<cuda::Compiled> compiled;
  for (const HostileKernel& kernel : hostileKernels())
    compiled.push_back(compile(kernel.statement));
  std::vector<HostileOutcome> outcomes;
  for (int round = 0; round < limits.times; ++round) {
    if (round > 0 && limits.allSeconds > 0 && secondsSince(start) >= limits.allSeconds) break;
    for (std::size_t i = 0; i < compiled.size(); ++i) {
      const HostileKernel& kernel = hostileKernels()[i];
      HostileOutcome outcome{&kernel, {}, {}};
      outcome.result = measure(pool, bench.device,
                               artifactOf(compiled[i], gpu, kernel.workspaceBytes), limits.seconds);
      outcome.next =
          measure(pool, bench.device, artifactOf(good, gpu, 0), std::max(limits.seconds, 10.0));
      outcomes.push_back(std::move(outcome));
    }
  }
  return outcomes;
}

} // namespace nestwright::bench
