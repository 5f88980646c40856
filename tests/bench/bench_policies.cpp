/// \file Search policies against each other: sessions on the same tasks with the same seeds, their
/// best-so-far curves, and the best programs of all of them measured again in turns.

#include "core/network/graph/workloads.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/session.h"
#include "core/support/error.h"
#include "core/tensor/text.h"
#include "tests/bench/bench_program.h"
#include "tests/bench/temporary_database.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace nestwright::bench::policies {
namespace {

struct Options {
  std::vector<std::string> tasks = {
      "conv2d:n=1,h=28,w=28,ci=128,co=128,k=3,s=1,p=1,bias=1,relu=1",
      "matmul:m=1024,n=1024,k=1024",
      "batch_matmul:b=12,m=128,n=128,k=64",
  };
  std::vector<std::string> policies = {"random", "evolutionary"};
  std::vector<std::uint64_t> seeds = {1, 2, 3, 4, 5};
  int trials = 320, trialsPerRound = 16, threads = 1, early = 100;
  std::string rules = "paper";
  double minRepeatSeconds = 0.02;
  bool verbose = false;
  std::string json;
};

/// One session: the best time after each trial, and the program that it ended with.
struct Outcome {
  std::vector<double> curve;
  Steps best;
  double seconds = 0; // of `best`, measured in turns with the others
  double wallSeconds = 0, trainShare = 0;
  double bestAfter(int trials) const {
    if (curve.empty()) return std::numeric_limits<double>::infinity();
    return curve[std::min(curve.size(), static_cast<std::size_t>(trials)) - 1];
  }
  /// Trials until the time was reached; 0 when it never was.
  int trialsUntil(double time) const {
    const auto found = std::ranges::find_if(curve, [&](double best) { return best <= time; });
    return found == curve.end() ? 0 : static_cast<int>(found - curve.begin()) + 1;
  }
};

/// "evolutionary/paper" is the policy with these features.
void setPolicy(SessionConfig& config, const std::string& text) {
  const std::size_t slash = text.find('/');
  config.policy = text.substr(0, slash);
  if (slash != std::string::npos) config.features = text.substr(slash + 1);
}

WorkerLaunch thisWorker() {
  return {{NESTWRIGHT_PROGRAM, "worker"}};
}

Outcome tune(const std::string& task, const std::string& policy, std::uint64_t seed,
             const Options& options) {
  const bench::TemporaryDatabase database("bench_policies");
  SessionConfig config;
  config.subjects = {task};
  config.trials = options.trials;
  config.trialsPerRound = options.trialsPerRound;
  config.rules = options.rules;
  config.seed = seed;
  config.measure.threads = options.threads;
  config.measure.minRepeatSeconds = options.minRepeatSeconds;
  setPolicy(config, policy);
  Outcome outcome;
  {
    RecordStore store = RecordStore::open(database.path(), OpenMode::Create);
    const RowId id = createSession(store, config);
    double best = std::numeric_limits<double>::infinity(), train = 0;
    const auto observe = [&](const Event& event) {
      if (std::holds_alternative<Measured>(event)) {
        outcome.curve.push_back(best);
      } else if (const auto* found = std::get_if<NewBest>(&event)) {
        best = outcome.curve.back() = found->seconds;
      } else if (const auto* round = std::get_if<RoundFinished>(&event)) {
        outcome.wallSeconds += round->wallSeconds;
        train += round->trainSeconds;
      } else if (const auto* model = std::get_if<ModelUpdated>(&event);
                 model && options.verbose && model->ranked > 0) {
        fmt::print("    round {:>3}: rank correlation {:+.2f} of {} programs, best {:.1f} us\n",
                   model->round, model->rankCorrelation, model->ranked, 1e6 * best);
      }
    };
    Session session(database.path(), id, observe, nullptr, thisWorker());
    session.post(Start{});
    if (session.wait() != SessionStatus::Finished)
      throw SystemError(fmt::format("the session of {} did not end well", task));
    outcome.trainShare = train / outcome.wallSeconds;
    const TaskRow row = store.sessions().tasks(id).front();
    if (const std::optional<Record> record = store.records().best(row.id))
      outcome.best = record->steps;
  }
  return outcome;
}

/// Measures the best programs of all policies in turns, so that they see the same machine.
void compareInTurns(const std::string& task, std::vector<Outcome*> outcomes,
                    const Options& options) {
  constexpr int kTurns = 7;
  MeasureOptions measure;
  measure.threads = options.threads;
  Measurer measurer(measure, thisWorker());
  const std::string dag = print(parseTaskSpec(task).dag);
  std::vector<MeasureRequest> requests;
  for (int turn = 0; turn < kTurns; ++turn)
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      MeasureRequest request;
      request.id = i;
      request.dag = dag;
      request.steps = outcomes[i]->best;
      requests.push_back(std::move(request));
    }
  std::vector<std::vector<double>> times(outcomes.size());
  measurer.measure(
      requests, [&](const MeasureResult& result) { times[result.id].push_back(result.latency()); });
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    std::ranges::sort(times[i]);
    outcomes[i]->seconds = times[i][times[i].size() / 2];
  }
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// The first policy is what the others are compared with.
nlohmann::json summary(const std::string& task, const std::vector<std::vector<Outcome>>& runs,
                       const Options& options) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t p = 0; p < runs.size(); ++p) {
    std::vector<double> final, early, turns, ratios, until, wall, train;
    nlohmann::json curves = nlohmann::json::array();
    for (std::size_t s = 0; s < runs[p].size(); ++s) {
      const Outcome& own = runs[p][s];
      final.push_back(own.bestAfter(options.trials));
      early.push_back(own.bestAfter(options.early));
      turns.push_back(own.seconds);
      ratios.push_back(runs[0][s].seconds / own.seconds);
      // Never reached counts as one trial more than there were.
      const int trials = own.trialsUntil(runs[0][s].bestAfter(options.trials));
      until.push_back(trials > 0 ? trials : options.trials + 1);
      wall.push_back(own.wallSeconds);
      train.push_back(own.trainShare);
      curves.push_back(own.curve);
    }
    rows.push_back({{"task", task},
                    {"policy", options.policies[p]},
                    {"median_best_seconds", median(final)},
                    {"median_early_seconds", median(early)},
                    {"median_best_in_turns_seconds", median(turns)},
                    {"median_speedup", median(ratios)},
                    {"median_trials_until", median(until)},
                    {"median_wall_seconds", median(wall)},
                    {"training_share", median(train)},
                    {"curves", curves}});
    fmt::print(
        "  {:<28} {:>9.1f} us {:>9.1f} us {:>9.1f} us {:>8.3f} {:>8.0f} {:>7.1f} s {:>6.1f} %\n",
        options.policies[p], 1e6 * median(early), 1e6 * median(final), 1e6 * median(turns),
        median(ratios), median(until), median(wall), 100 * median(train));
  }
  std::fflush(stdout);
  return rows;
}

void run(const Options& options) {
  nlohmann::json document = nlohmann::json::array();
  fmt::print("medians over {} seeds, {} trials; speed-up over {} of the best programs measured in "
             "turns, and trials until its final best\n",
             options.seeds.size(), options.trials, options.policies[0]);
  fmt::print("  {:<28} {:>12} {:>12} {:>12} {:>8} {:>8} {:>9} {:>8}\n", "policy",
             fmt::format("after {}", options.early), fmt::format("after {}", options.trials),
             "in turns", "speed-up", "trials", "wall", "training");
  for (const std::string& task : options.tasks) {
    fmt::print("{}\n", task);
    std::vector<std::vector<Outcome>> runs(options.policies.size());
    for (const std::uint64_t seed : options.seeds) {
      std::vector<Outcome*> ofSeed;
      for (std::size_t p = 0; p < options.policies.size(); ++p) {
        if (options.verbose) fmt::print("  seed {}, {}\n", seed, options.policies[p]);
        runs[p].push_back(tune(task, options.policies[p], seed, options));
        ofSeed.push_back(&runs[p].back());
      }
      compareInTurns(task, ofSeed, options);
    }
    for (const nlohmann::json& row : summary(task, runs, options))
      document.push_back(row);
  }
  if (!options.json.empty()) std::ofstream(options.json) << document.dump(1) << '\n';
}

int start(int argc, char** argv) {
  Options options;
  CLI::App app("Search policies on the same tasks, seeds and machine");
  app.add_option("task", options.tasks, "Operators (default: three of them)");
  app.add_option("--policies", options.policies,
                 "The first is what the others are compared with; evolutionary/paper names the "
                 "features that the cost model reads")
      ->capture_default_str();
  app.add_option("--seeds", options.seeds, "Seeds")->delimiter(',')->capture_default_str();
  app.add_option("--trials", options.trials, "Trials of each session")->capture_default_str();
  app.add_option("--early", options.early, "Trials of the first column")->capture_default_str();
  app.add_option("--trials-per-round", options.trialsPerRound, "Batch")->capture_default_str();
  app.add_option("--threads", options.threads, "Of the tuned kernels")->capture_default_str();
  app.add_option("--rules", options.rules, "Sketch rules")->capture_default_str();
  app.add_option("--min-repeat", options.minRepeatSeconds, "Seconds of each timed repeat")
      ->capture_default_str();
  app.add_flag("--verbose", options.verbose, "Print the model's rank correlation of each round");
  app.add_option("--json", options.json, "Write curves and numbers to this file");
  CLI11_PARSE(app, argc, argv);
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ); // a long run is watched through pipes
  run(options);
  return 0;
}

[[maybe_unused]] const bool isKnown = add({"policies", start});

} // namespace
} // namespace nestwright::bench::policies
