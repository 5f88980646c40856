/// \file How fast the best of N random programs is, beside oneDNN on the same operator in the same
/// run, one thread each.

#include "core/lower/lower.h"
#include "core/network/workloads.h"
#include "core/space/annotation.h"
#include "core/support/random.h"
#include "tests/bench/peer_onednn.h"
#include "tests/plugins/kernel_runner.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace nestwright::bench {
namespace {

double seconds(const std::function<void()>& run, int times = 1) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i)
    run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / times;
}

/// The fastest of some runs, at most about `budget` seconds of them.
double fastest(const std::function<void()>& run, double budget) {
  double best = seconds(run), spent = best;
  for (int i = 0; i < 2 || (spent < budget && i < 200); ++i) {
    const double time = seconds(run);
    best = std::min(best, time);
    spent += time;
  }
  return best;
}

struct Search {
  std::unique_ptr<test::RunnableKernel> kernel;
  State state;
  double best = std::numeric_limits<double>::infinity();
  double compileSeconds = 0, slowestCompile = 0;
  int compiled = 0, invalid = 0;
};

void fill(const test::RunnableKernel& kernel) {
  for (int i = 0; i < kernel.artifact().inputCount; ++i) {
    auto* data = kernel.buffer<float>(static_cast<std::size_t>(i));
    const std::size_t count = kernel.bufferBytes(static_cast<std::size_t>(i)) / sizeof(float);
    for (std::size_t e = 0; e < count; ++e)
      data[e] = static_cast<float>(e % 17) / 16;
  }
}

Search sample(const ComputeDag& dag, int samples, std::uint64_t seed, bool verbose) {
  SpaceOptions options;
  options.target = backend().target(1);
  const std::vector<Sketch> sketches = generateSketches(dag, options);
  Search search;
  for (int i = 0; i < samples; ++i) {
    Random random = Random::stream(seed, "bench", static_cast<std::uint64_t>(i));
    const SampledProgram program = sampleProgram(sketches, options, random);
    if (!program.state) {
      ++search.invalid;
      continue;
    }
    std::unique_ptr<test::RunnableKernel> kernel;
    const double compile = seconds([&] {
      kernel = std::make_unique<test::RunnableKernel>(
          lower(*program.state, lowerOptionsFor(options.target)), 1);
    });
    search.compileSeconds += compile;
    search.slowestCompile = std::max(search.slowestCompile, compile);
    ++search.compiled;
    fill(*kernel);
    const double time = fastest([&] { kernel->run(); }, 0.01);
    if (verbose)
      std::printf("  sample %d: %.3f ms, compiled in %.0f ms\n", i, time * 1e3, compile * 1e3);
    if (time < search.best) {
      search.best = time;
      search.kernel = std::move(kernel);
      search.state = *program.state;
    }
  }
  return search;
}

void report(const std::string& text, const std::function<void()>& peer, int samples,
            std::uint64_t seed, bool verbose) {
  const Workload workload = parseTaskSpec(text);
  const double work = flops(workload.dag);
  Search search = sample(workload.dag, samples, seed, verbose);
  if (!search.kernel) {
    std::printf("%s: none of %d programs is valid\n", text.c_str(), samples);
    return;
  }
  // In turns, so that both see the same state of the machine.
  double ours = search.best, theirs = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < 10; ++turn) {
    ours = std::min(ours, fastest([&] { search.kernel->run(); }, 0.05));
    if (peer) theirs = std::min(theirs, fastest(peer, 0.05));
  }
  std::printf("%s\n%s", workload.text.c_str(), printLoopNest(search.state).c_str());
  std::printf("  %d programs compiled, %d invalid; compile %.1f ms on average, %.0f ms at most\n",
              search.compiled, search.invalid, 1e3 * search.compileSeconds / search.compiled,
              1e3 * search.slowestCompile);
  std::printf("  nestwright %.1f GFLOP/s", work / ours / 1e9);
  if (peer) std::printf(", oneDNN %.1f GFLOP/s, ratio %.3f", work / theirs / 1e9, theirs / ours);
  std::printf("\n");
}

} // namespace
} // namespace nestwright::bench

int main(int argc, char** argv) {
  using namespace nestwright::bench;
  CLI::App app("Best of N random programs against oneDNN, one thread");
  int samples = 300;
  std::uint64_t seed = 1;
  bool verbose = false;
  std::vector<std::string> others;
  app.add_option("--samples", samples, "random programs per operator")->capture_default_str();
  app.add_option("--seed", seed, "of the random programs")->capture_default_str();
  app.add_flag("--verbose", verbose, "print every program's time");
  app.add_option("task", others, "further operators, without a peer: conv1d:l=64,...");
  CLI11_PARSE(app, argc, argv);
  setenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_PLUGIN_FOLDER, 0);
  std::function<void()> matmul, conv;
#ifdef NESTWRIGHT_HAS_ONEDNN
  matmul = oneDnnMatmul(512, 512, 512);
  conv = oneDnnConv2d(56, 64, 64, 3);
#else
  std::printf("oneDNN (libdnnl-dev) was not found when this was built: no peer\n");
#endif
  report("matmul:m=512,n=512,k=512", matmul, samples, seed, verbose);
  report("conv2d:n=1,h=56,w=56,ci=64,co=64,k=3,s=1,p=1", conv, samples, seed, verbose);
  for (const std::string& text : others)
    report(text, nullptr, samples, seed, verbose);
}
