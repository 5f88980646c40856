/// \file How long the learned cost model takes to learn and to answer, and how well it orders
/// programs that it has not seen. Synthetic programs, as many rows a program as real ones have.

#include "core/model/metrics.h"
#include "core/model/splits.h"
#include "core/plugin/plugin.h"
#include "tests/model/synthetic.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace nestwright::bench {
namespace {

template <class Function>
double seconds(const Function& function) {
  const auto start = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void printUpdate(const char* what, const UpdateReport& report, double time) {
  fmt::print("{:<24} {:>7} programs {:>7} rows {:>5} trees (+{:>3}) {:>8.3f} s {:>7.1f} ms/tree  "
             "{} ({})  rmse {:.4f} peak@32 {:.3f}\n",
             what, report.programs, report.rows, report.trees, report.treesAdded, time,
             1e3 * time / std::max(1, report.treesAdded), name(report.kind), report.reason,
             report.trainingRmse, report.trainingPeak);
}

void train(CostModel& model, const char* what, const DataSet& set) {
  UpdateReport report;
  const double time = seconds([&] { report = model.update(set); });
  printUpdate(what, report, time);
}

void predict(const CostModel& model, const DataSet& test) {
  for (const std::size_t programs : {std::size_t{1}, std::size_t{64}, std::size_t{2048}}) {
    FeatureTable batch(test.features.columns());
    for (std::size_t i = 0; i < programs; ++i)
      batch.add(test.features.program(i % test.size()));
    model.predict(batch);
    const int times = programs > 64 ? 20 : 200;
    const double time = seconds([&] {
                          for (int i = 0; i < times; ++i)
                            model.predict(batch);
                        }) /
                        times;
    fmt::print("predict {:>5} programs    {:>9.3f} ms {:>8.2f} us/row {:>10.0f} programs/s\n",
               programs, 1e3 * time, 1e6 * time / static_cast<double>(batch.rows()),
               static_cast<double>(programs) / time);
  }
}

void quality(const CostModel& model, const DataSet& test) {
  const Prediction prediction = model.predict(test.features);
  std::vector<TaskScores> tasks(test.tasks.size());
  const std::vector<float> labels = normalisedThroughput(test);
  for (std::size_t i = 0; i < test.size(); ++i) {
    TaskScores& task = tasks[test.outcomes[i].task];
    task.predictions.push_back(prediction.scores[i]);
    task.labels.push_back(static_cast<double>(labels[i]));
  }
  std::erase_if(tasks, [](const TaskScores& task) { return task.labels.empty(); });
  double pairwise = 0, peak1 = 0, peak32 = 0, error = 0;
  const auto count = static_cast<double>(tasks.size());
  for (const TaskScores& task : tasks) {
    pairwise += pairwiseAccuracy(task.predictions, task.labels) / count;
    peak1 += peakAt(1, task.predictions, task.labels) / count;
    peak32 += averagePeakAt(32, task.predictions, task.labels) / count;
    error += rmse(task.predictions, task.labels) / count;
  }
  fmt::print("unseen programs: {} of {} tasks: rmse {:.4f} pairwise {:.4f} peak@1 {:.3f} average "
             "peak@32 {:.3f}\n",
             test.size(), tasks.size(), error, pairwise, peak1, peak32);
}

int run(int argc, char** argv) {
  CLI::App app("Training and prediction speed of a cost model");
  test::SyntheticOptions data;
  data.programs = 4096;
  data.leastRows = 3;
  data.mostRows = 6;
  std::string model = "xgboost", options = "{}";
  std::size_t more = 64;
  app.add_option("--programs", data.programs, "Measured programs");
  app.add_option("--tasks", data.tasks, "Tasks that they belong to");
  app.add_option("--failures", data.failures, "Share of programs that failed");
  app.add_option("--more", more, "Programs of a second, incremental update");
  app.add_option("--seed", data.seed, "Seed of the programs");
  app.add_option("--model", model, "Plugin");
  app.add_option("--options", options, "Its options, as JSON");
  CLI11_PARSE(app, argc, argv);

  const std::unique_ptr<CostModel> learned = costModel(model, nlohmann::json::parse(options));
  data.programs += more + 1024; // those to add, and those to test with
  const DataSet all = test::synthetic(data);
  std::vector<std::size_t> first, second, unseen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i + 1024 >= all.size()) {
      unseen.push_back(i);
      continue;
    }
    if (i + 1024 + more < all.size()) first.push_back(i);
    second.push_back(i);
  }
  const DataSet test = select(all, unseen);
  fmt::print("validate {} programs: {:.1f} ms\n", all.size(),
             1e3 * seconds([&] { requireSound(all); }));
  train(*learned, "first training", select(all, first));
  quality(*learned, test);
  if (more > 0) train(*learned, "update", select(all, second));
  quality(*learned, test);
  predict(*learned, test);
  std::string bytes;
  const double save = seconds([&] { bytes = learned->save(); });
  fmt::print("save {:.0f} kB: {:.1f} ms; load: {:.1f} ms\n",
             static_cast<double>(bytes.size()) / 1e3, 1e3 * save,
             1e3 * seconds([&] { learned->load(bytes); }));
  fmt::print("explain a program of {} rows: {:.1f} ms\n", test.features.rowCount(0),
             1e3 * seconds([&] { learned->explain(test.features, 0); }));
  return 0;
}

} // namespace
} // namespace nestwright::bench

int main(int argc, char** argv) {
  setenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_PLUGIN_FOLDER, 0);
  try {
    return nestwright::bench::run(argc, argv);
  } catch (const nestwright::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
