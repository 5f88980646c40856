/// \file How quickly records of files become a data set, with features and without, and how quickly
/// models are compared on it.

#include "core/dataset/evaluate_models.h"
#include "core/record/store/store.h"
#include "tests/bench/bench_program.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <numeric>

namespace nestwright::bench::dataset {
namespace {

struct Options {
  DataChoice choice;
  unsigned threads = 2;
  std::size_t resamples = 10000;
  bool json = false;
};

template <class F>
double secondsOf(const F& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void bench(const Options& options) {
  const std::vector<RecordStore> files = openFiles(options.choice);
  RecordedData data;
  const double reading =
      secondsOf([&] { readData(files, options.choice, {.threads = 1, .features = false}); });
  const double whole =
      secondsOf([&] { data = readData(files, options.choice, {.threads = options.threads}); });
  EvaluationWish wish;
  wish.programs.resize(data.set.size());
  std::iota(wish.programs.begin(), wish.programs.end(), std::size_t{0});
  wish.bootstrap.resamples = options.resamples;
  const std::vector<ModelScores> models = yardsticks(data.set, 0);
  const double judging = secondsOf([&] { evaluateModels(data, wish, models); });
  const auto programs = static_cast<double>(data.set.size());
  if (options.json) {
    const nlohmann::json json = {{"programs", data.set.size()},
                                 {"rows", data.set.features.rows()},
                                 {"threads", options.threads},
                                 {"read_seconds", reading},
                                 {"seconds", whole},
                                 {"programs_per_second", programs / whole},
                                 {"evaluate_seconds", judging}};
    fmt::print("{}\n", json.dump());
    return;
  }
  fmt::print("{} programs, {} rows of {} features, {} threads\n", data.set.size(),
             data.set.features.rows(), data.set.features.columns(), options.threads);
  fmt::print("read alone {:.2f} s, with features {:.2f} s: {:.0f} programs a second\n", reading,
             whole, programs / whole);
  fmt::print("two models compared on {} tasks with {} resamples in {:.2f} s\n", data.tasks.size(),
             options.resamples, judging);
}

int start(int argc, char** argv) {
  Options options;
  CLI::App app("Times the reading of a data set");
  app.add_option("files", options.choice.files, "Record files")->required();
  app.add_option("--features", options.choice.features, "What models read")->capture_default_str();
  app.add_option("--threads", options.threads, "Threads that compute features")
      ->capture_default_str();
  app.add_option("--resamples", options.resamples, "Of the intervals")->capture_default_str();
  app.add_flag("--json", options.json, "Print as JSON");
  CLI11_PARSE(app, argc, argv);
  bench(options);
  return 0;
}

[[maybe_unused]] const bool isKnown = add({"dataset", start});

} // namespace
} // namespace nestwright::bench::dataset
