/// \file How fast the learner trains networks and scores programs with them: programs a second.

#include "core/learn/train.h"
#include "core/support/clock.h"
#include "core/support/random.h"
#include "tests/bench/bench_program.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <numeric>

namespace nestwright::bench::learner {
namespace {

/// Programs of several tasks, with as many rows, and as many that are alike, as in public records
/// (handbook/cost-models.md 5.3): statements, which are all different, or steps, which each task
/// draws from 280 different ones.
DataSet programs(std::size_t count, std::size_t tasks, bool steps) {
  const std::size_t columns = steps ? 22 : 174;
  constexpr std::size_t kDifferent = 280;
  DataSet set(columns);
  for (std::size_t i = 0; i < count; ++i) {
    Random random = Random::stream(1, "program", i);
    const std::size_t rows = steps ? 13 + random.below(8) : 2 + random.below(5);
    std::vector<float> values;
    for (std::size_t r = 0; r < rows; ++r) {
      Random row = steps ? Random::stream(i % tasks, "step", random.below(kDifferent))
                         : Random::stream(i, "statement", r);
      for (std::size_t c = 0; c < columns; ++c)
        values.push_back(row.below(3) == 0 ? static_cast<float>(row.below(64)) : 0);
    }
    set.add(fmt::format("task {}", i % tasks), fmt::format("program {}", i), "this machine", values,
            0.5 + random.unit());
  }
  return set;
}

int run(int argc, char** argv) {
  CLI::App app("Speed of the learner");
  std::string model = "mlp", loss = "lambdarank";
  std::size_t count = 16'384, tasks = 40, batch = 0;
  int epochs = 3, threads = 1;
  app.add_option("--model", model, "mlp, lstm, tlp or mtl-tlp");
  app.add_option("--loss", loss, "lambdarank, mse, ranknet or listnet");
  app.add_option("--programs", count, "Programs");
  app.add_option("--tasks", tasks, "Tasks that they belong to");
  app.add_option("--batch", batch, "Programs of a batch (0: as published)");
  app.add_option("--epochs", epochs, "Passes");
  app.add_option("--threads", threads, "Threads");
  CLI11_PARSE(app, argc, argv);

  TrainingOptions options =
      publishedTraining(networkArchitectureFromName(model), lossFromName(loss));
  const DataSet set = programs(count, tasks, publishedShape(options.architecture, 1).ofSteps());
  options.epochs = epochs;
  options.threads = threads;
  options.keep = Keep::Last;
  if (batch > 0) options.step.batch = batch;
  LearnerLaunch launch; // its program is not beside this one
  launch.command = {
      (std::filesystem::path(NESTWRIGHT_PROGRAM).parent_path() / "nestwright-learner").string()};
  Learner learner(launch);
  auto start = std::chrono::steady_clock::now();
  const LearnerHello hello = learner.hello();
  fmt::print("ready in {:.2f} s: libtorch {}, {}\n", secondsSince(start), hello.torch, hello.blas);
  std::vector<std::size_t> all(set.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  TrainingObserver observer;
  observer.epochEnded = [&](const EpochResult& result) {
    fmt::print("epoch {}: {:.0f} programs/s, loss {:.4f}\n", result.epoch,
               static_cast<double>(set.size()) / result.seconds, result.trainingLoss);
  };
  const TrainedNetwork trained = train(learner, {set, {all, {}}, options}, observer);
  for (int i = 0; i < 3; ++i) {
    start = std::chrono::steady_clock::now();
    learner.score(trained.network, set.features, threads);
    fmt::print("scoring: {:.0f} programs/s\n",
               static_cast<double>(set.size()) / secondsSince(start));
  }
  return 0;
}

[[maybe_unused]] const bool isKnown = add({"learner", run});

} // namespace
} // namespace nestwright::bench::learner
