/// \file How many programs a second the features of cost models can be computed for. The programs
/// are the public implementation's (tests/data/tvm-ansor-zen5), already replayed, and sampled ones
/// for a GPU, of which it also tells how fast they are drawn.

#include "core/feature/program_features.h"
#include "core/model/feature_table.h"
#include "core/space/survey.h"
#include "tests/bench/bench_program.h"
#include "tests/schedule/oracle_tasks.h"
#include "tests/space/gpu_tasks.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>

namespace nestwright::bench::features {

using namespace test;

namespace {

struct Options {
  int programs = 2000;
  int threads = 2;
  int repeats = 5;
  bool json = false;
};

std::vector<State> programsOf(const std::string& task, int count) {
  std::ifstream file(std::string(NESTWRIGHT_TEST_DATA "/tvm-ansor-zen5/") + task + ".oracle.json");
  const ComputeDag dag = oracleDag(task);
  std::vector<State> different;
  for (const auto& program : nlohmann::json::parse(file))
    different.push_back(State::replay(dag, stepsFromJson(program["steps"])));
  std::vector<State> all;
  for (int i = 0; i < count; ++i)
    all.push_back(different[static_cast<std::size_t>(i) % different.size()]);
  return all;
}

/// Programs per second, the best of some repeats.
template <class F>
double rate(const Options& options, const F& f) {
  double best = 0;
  for (int i = 0; i < options.repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    f();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::max(best, options.programs / time.count());
  }
  return best;
}

/// Programs for a GPU: sampling, the paper's features, and those of the lowered program, all by one
/// thread.
nlohmann::json benchGpu(Options options) {
  options.programs = std::min(options.programs, 200);
  auto document = nlohmann::json::array();
  if (!options.json)
    fmt::print("\nprograms per second for {}, one thread\n{:<66} {:>10} {:>10} {:>10}\n",
               sm90(Draws::Own).target.id(), "task", "legal", "paper", "lowered");
  const SpaceOptions space = sm90(Draws::Own);
  for (const auto& [task, dag] : gpuTasks()) {
    const Survey survey = surveyPrograms(task, generateSketches(dag, space), space, 1,
                                         static_cast<std::size_t>(options.programs));
    const double sampled = static_cast<double>(survey.programs.size()) / survey.seconds;
    const auto rateOf = [&](FeatureChoice choice) {
      ProgramFeatureOptions features;
      features.choice = choice;
      features.lowered.lowering.gpu = space.target.gpu;
      return rate(options, [&] { programFeatures(survey.programs, features, 1); });
    };
    const double paper = rateOf({true, false, true}), lowered = rateOf({false, true, true});
    if (!options.json)
      fmt::print("{:<66} {:>10.0f} {:>10.0f} {:>10.0f}\n", task, sampled, paper, lowered);
    document.push_back({{"task", task},
                        {"legal_per_second", sampled},
                        {"paper_per_second", paper},
                        {"lowered_per_second", lowered}});
  }
  return document;
}

/// The steps of a task's records, over and over.
std::vector<Steps> recordedSteps(const std::string& task, int count) {
  std::ifstream file(std::string(NESTWRIGHT_TEST_DATA "/tvm-ansor-zen5/") + task + ".steps.txt");
  std::vector<Steps> different;
  for (std::string line; std::getline(file, line);)
    different.push_back(stepsFromJson(nlohmann::json::parse(line)));
  std::vector<Steps> all;
  for (int i = 0; i < count; ++i)
    all.push_back(different[static_cast<std::size_t>(i) % different.size()]);
  return all;
}

/// From ready steps to the table that a model reads, by one thread.
nlohmann::json benchPrimitives(const Options& options) {
  auto document = nlohmann::json::array();
  const PrimitiveVocabulary vocabulary = publishedVocabulary(false);
  const PrimitiveEncoder encoder(vocabulary, publishedShape(vocabulary, false));
  if (!options.json)
    fmt::print("\nprograms per second from steps to schedule primitives, one thread\n");
  for (const std::string task : kOracleTasks) {
    const std::vector<Steps> programs = recordedSteps(task, options.programs);
    const double rows = rate(options, [&] {
      FeatureTable table(encoder.shape().columns);
      PrimitiveCounts counts;
      for (const Steps& steps : programs)
        table.add(stepRows(steps, encoder, counts));
    });
    if (!options.json) fmt::print("{:<22} {:>12.0f}\n", task, rows);
    document.push_back({{"task", task}, {"primitives_per_second", rows}});
  }
  return document;
}

void bench(const Options& options) {
  auto document = nlohmann::json::array();
  const std::string threads = fmt::format("{} threads", options.threads);
  if (!options.json)
    fmt::print("programs per second\n{:<22} {:>12} {:>12} {:>12} {:>12}\n", "task", "bounds",
               "features", "both", threads);
  for (const std::string task : kOracleTasks) {
    const std::vector<State> states = programsOf(task, options.programs);
    std::vector<Bounds> bounds;
    const double boundsRate = rate(options, [&] {
      bounds.clear();
      for (const State& state : states)
        bounds.push_back(inferBounds(state));
    });
    const double featureRate = rate(options, [&] {
      for (std::size_t i = 0; i < states.size(); ++i)
        statementFeatures(states[i], bounds[i]);
    });
    ProgramFeatureOptions paper;
    paper.choice.lowered = false;
    const auto byThreads = [&](int count) {
      return rate(options, [&] { programFeatures(states, paper, static_cast<unsigned>(count)); });
    };
    const double one = byThreads(1), many = byThreads(options.threads);
    if (!options.json)
      fmt::print("{:<22} {:>12.0f} {:>12.0f} {:>12.0f} {:>12.0f}\n", task, boundsRate, featureRate,
                 one, many);
    document.push_back({{"task", task},
                        {"bounds_per_second", boundsRate},
                        {"features_per_second", featureRate},
                        {"both_per_second", one},
                        {"threads", options.threads},
                        {"both_per_second_threads", many}});
  }
  const nlohmann::json primitives = benchPrimitives(options);
  const nlohmann::json gpu = benchGpu(options);
  if (options.json)
    fmt::print(
        "{}\n",
        nlohmann::json({{"cpu", document}, {"primitives", primitives}, {"gpu", gpu}}).dump(2));
}

int start(int argc, char** argv) {
  Options options;
  CLI::App app("Programs per second through bound inference and feature extraction");
  app.add_option("--programs", options.programs, "Programs of each task")->capture_default_str();
  app.add_option("--threads", options.threads, "Threads of the last column")->capture_default_str();
  app.add_option("--repeats", options.repeats, "The best of so many counts")->capture_default_str();
  app.add_flag("--json", options.json, "Print as one JSON document");
  CLI11_PARSE(app, argc, argv);
  bench(options);
  return 0;
}

[[maybe_unused]] const bool isKnown = add({"features", start});

} // namespace
} // namespace nestwright::bench::features
