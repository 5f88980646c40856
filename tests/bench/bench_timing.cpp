/// \file How well the times of short kernels repeat on this machine (C32): what a session would
/// measure for sampled programs, several times. Wanted on an idle machine: a spread below 3 %.

#include "core/measure/measure.h"
#include "core/network/graph/workloads.h"
#include "core/plugin/plugin.h"
#include "core/space/annotation.h"
#include "core/support/error.h"
#include "core/support/random.h"
#include "core/support/units.h"
#include "core/tensor/text.h"
#include "tests/bench/bench_program.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>

namespace nestwright::bench::timing {
namespace {

constexpr double kWanted = 0.03;

/// The first valid program of a fixed sequence.
Steps sampledSteps(const ComputeDag& dag, const TargetFacts& target) {
  SpaceOptions space;
  space.target = target;
  const std::vector<Sketch> sketches = generateSketches(dag, space);
  for (std::uint64_t i = 0; !sketches.empty() && i < 100; ++i) {
    Random random = Random::stream(1, workloadKey(dag), i);
    if (const SampledProgram program = sampleProgram(sketches, space, random); program.state)
      return program.state->steps();
  }
  throw SystemError("no valid program was found");
}

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// True when the spread is as wanted.
bool judge(Measurer& measurer, const std::string& task, const TargetFacts& target, int times) {
  const ComputeDag dag = parseTaskSpec(task).dag;
  std::vector<MeasureRequest> requests(static_cast<std::size_t>(times));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].id = i;
    requests[i].dag = print(dag);
    requests[i].steps = sampledSteps(dag, target);
  }
  std::vector<double> medians, spreads;
  measurer.measure(requests, [&](const MeasureResult& result) {
    if (result.verdict != Verdict::Ok) throw SystemError(oneSentence(result));
    medians.push_back(result.latency());
    spreads.push_back(result.spread());
  });
  const auto [low, high] = std::ranges::minmax(medians);
  const double spread = middle(spreads), between = (high - low) / middle(medians);
  fmt::print("{:<32} {:>10}  spread {:5.2f} % (median of {})  between measurements {:5.2f} %{}\n",
             task, formatSeconds(middle(medians)), 100 * spread, times, 100 * between,
             spread < kWanted ? "" : "  above 3 %");
  return spread < kWanted;
}

int run(int argc, char** argv) {
  CLI::App app("How well measured times repeat");
  std::vector<std::string> tasks{"matmul:m=16,n=16,k=16", "matmul:m=64,n=64,k=64",
                                 "softmax:m=16,n=64", "matmul:m=256,n=256,k=256"};
  int times = 7;
  MeasureOptions options;
  app.add_option("--task", tasks, "Operators");
  app.add_option("--times", times, "Measurements of each")->check(CLI::PositiveNumber);
  app.add_option("--threads", options.threads, "Of the kernels (0: all cores)");
  CLI11_PARSE(app, argc, argv);
  const TargetFacts target = backend("llvm").target(options.threads);
  Measurer measurer(options, {{NESTWRIGHT_PROGRAM, "worker"}});
  bool good = true;
  for (const std::string& task : tasks)
    good &= judge(measurer, task, target, times);
  return good ? 0 : 1;
}

[[maybe_unused]] const bool isKnown = add({"timing", run});

} // namespace
} // namespace nestwright::bench::timing
