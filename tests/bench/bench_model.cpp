/// \file How long the learned cost model takes to learn and to answer, and how well it orders
/// programs that it has not seen. Synthetic programs, as many rows a program as real ones have, or
/// the public implementation's records.

#include "core/model/metrics.h"
#include "core/plugin/plugin.h"
#include "tests/bench/bench_program.h"
#include "tests/bench/public_records.h"
#include "tests/model/held_out.h"
#include "tests/model/synthetic.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace nestwright::bench::model {
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
             report.trainingRmse.value_or(0), report.trainingPeak);
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

struct Quality {
  double rmse = 0, pairwise = 0, peak1 = 0, peak8 = 0, recall8 = 0;
};

/// Means over the tasks of how well the model knows programs that it has not learned from.
Quality qualityOf(const CostModel& model, const DataSet& test) {
  const Prediction prediction = model.predict(test.features);
  std::vector<TaskScores> tasks(test.tasks.size());
  const std::vector<float> labels = normalisedThroughput(test);
  for (std::size_t i = 0; i < test.size(); ++i) {
    TaskScores& task = tasks[test.outcomes[i].task];
    task.predictions.push_back(prediction.scores[i]);
    task.labels.push_back(static_cast<double>(labels[i]));
  }
  std::erase_if(tasks, [](const TaskScores& task) { return task.labels.empty(); });
  Quality mean;
  const auto count = static_cast<double>(tasks.size());
  for (const TaskScores& task : tasks) {
    mean.rmse += rmse(task.predictions, task.labels) / count;
    mean.pairwise += pairwiseAccuracy(task.predictions, task.labels) / count;
    mean.peak1 += peakAt(1, task.predictions, task.labels) / count;
    mean.peak8 += averagePeakAt(8, task.predictions, task.labels) / count;
    mean.recall8 += recallAt(8, task.predictions, task.labels) / count;
  }
  return mean;
}

void print(const char* what, const Quality& quality) {
  fmt::print("{:<24} rmse {:.4f} pairwise {:.4f} peak@1 {:.3f} average peak@8 {:.3f} recall@8 "
             "{:.3f}\n",
             what, quality.rmse, quality.pairwise, quality.peak1, quality.peak8, quality.recall8);
}

/// Learns from four fifths of the public records, ten times another four fifths.
void judgeOnRecords(const std::string& folder, const std::string& name,
                    const nlohmann::json& options) {
  constexpr int kTimes = 10;
  const DataSet set = publicRecords(folder);
  Quality mean;
  double time = 0;
  int trees = 0;
  for (int seed = 0; seed < kTimes; ++seed) {
    const test::HeldOut split = test::somePrograms(set, 0.2, static_cast<std::uint64_t>(seed));
    const std::unique_ptr<CostModel> model = costModel(name, options);
    time += seconds([&] { trees += model->update(select(set, split.train)).trees; });
    const Quality quality = qualityOf(*model, select(set, split.test));
    mean.rmse += quality.rmse / kTimes;
    mean.pairwise += quality.pairwise / kTimes;
    mean.peak1 += quality.peak1 / kTimes;
    mean.peak8 += quality.peak8 / kTimes;
    mean.recall8 += quality.recall8 / kTimes;
  }
  fmt::print("{} records of {} tasks, {} splits: {:.3f} s and {} trees a training\n", set.size(),
             set.tasks.size(), kTimes, time / kTimes, trees / kTimes);
  print("  held-out records", mean);
}

/// Learns round by round as a session does, and judges each round before learning from it (C39).
void judgeRounds(const std::string& folder, const std::string& name,
                 const nlohmann::json& options) {
  constexpr std::size_t kRound = 64;
  const DataSet set = publicRecords(folder);
  const auto range = [&](std::size_t begin, std::size_t end) {
    std::vector<std::size_t> chosen(std::min(end, set.size()) - begin);
    std::iota(chosen.begin(), chosen.end(), begin);
    return select(set, chosen);
  };
  const std::unique_ptr<CostModel> model = costModel(name, options);
  double pairwise = 0, time = 0;
  int judged = 0, full = 0, trees = 0;
  for (std::size_t begin = 0; begin < set.size(); begin += kRound) {
    if (model->trained()) {
      pairwise += qualityOf(*model, range(begin, begin + kRound)).pairwise;
      ++judged;
    }
    UpdateReport report;
    const DataSet known = range(0, begin + kRound);
    time += seconds([&] { report = model->update(known); });
    full += report.kind == UpdateReport::Kind::Full;
    trees = std::max(trees, report.trees);
  }
  fmt::print("  round by round         pairwise of the next round {:.4f} over {} rounds; {:.3f} s "
             "of training, {} full, at most {} trees\n",
             pairwise / judged, judged, time, full, trees);
}

/// What training takes of a session's rounds when it has so many records already (C13).
void printShare(CostModel& model, const DataSet& all, int rounds, std::size_t more,
                double roundSeconds) {
  const std::size_t known = all.size() - static_cast<std::size_t>(rounds) * more;
  const auto firstOf = [&](std::size_t count) {
    std::vector<std::size_t> chosen(count);
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    return select(all, chosen);
  };
  train(model, "first training", firstOf(known));
  double sum = 0, longest = 0;
  int full = 0;
  for (int round = 1; round <= rounds; ++round) {
    const DataSet set = firstOf(known + static_cast<std::size_t>(round) * more);
    UpdateReport report;
    const double time = seconds([&] { report = model.update(set); });
    sum += time;
    longest = std::max(longest, time);
    full += report.kind == UpdateReport::Kind::Full;
  }
  const double mean = sum / rounds;
  fmt::print(
      "{} rounds of {} programs after {}: {:.3f} s of training a round, at most {:.3f} s, {} "
      "full: {:.1f} % of a round whose other parts take {} s (wanted: at most 20 %)\n",
      rounds, more, known, mean, longest, full, 100 * mean / (mean + roundSeconds), roundSeconds);
}

int run(int argc, char** argv) {
  CLI::App app("Training and prediction speed of a cost model");
  test::SyntheticOptions data;
  data.programs = 4096;
  data.leastRows = 3;
  data.mostRows = 6;
  std::string model = "xgboost", options = "{}";
  std::string records;
  std::size_t more = 64;
  app.add_option("--programs", data.programs, "Measured programs");
  app.add_option("--tasks", data.tasks, "Tasks that they belong to");
  app.add_option("--failures", data.failures, "Share of programs that failed");
  app.add_option("--more", more, "Programs of a second, incremental update");
  app.add_option("--seed", data.seed, "Seed of the programs");
  app.add_option("--model", model, "Plugin");
  app.add_option("--options", options, "Its options, as JSON");
  app.add_option("--records", records, "Folder of public records to judge the model on instead");
  int rounds = 0;
  double roundSeconds = 2.5;
  app.add_option("--rounds", rounds,
                 "Instead: the share of rounds that training takes, over so many of them, each of "
                 "--more programs, when there are --programs already");
  app.add_option("--round-seconds", roundSeconds,
                 "What a round takes beside training (16 trials of about 0.15 s)");
  CLI11_PARSE(app, argc, argv);
  if (rounds > 0) {
    const std::unique_ptr<CostModel> learned = costModel(model, nlohmann::json::parse(options));
    data.programs += static_cast<std::size_t>(rounds) * more;
    printShare(*learned, test::synthetic(data), rounds, more, roundSeconds);
    return 0;
  }
  if (!records.empty()) {
    judgeOnRecords(records, model, nlohmann::json::parse(options));
    judgeRounds(records, model, nlohmann::json::parse(options));
    return 0;
  }

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
  print("  unseen programs", qualityOf(*learned, test));
  if (more > 0) train(*learned, "update", select(all, second));
  print("  unseen programs", qualityOf(*learned, test));
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

[[maybe_unused]] const bool isKnown = add({"model", run});

} // namespace
} // namespace nestwright::bench::model
