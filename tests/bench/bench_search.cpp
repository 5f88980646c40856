/// \file How fast the search thinks, without measuring anything: programs a second through
/// sampling, features and prediction, and the seconds of a whole proposal by evolution. Then what a
/// trial of a real session costs beside its kernels, and for what.

#include "core/backend/backend.h"
#include "core/feature/program_features.h"
#include "core/lower/lower.h"
#include "core/network/graph/workloads.h"
#include "core/plugin/plugin.h"
#include "core/search/draft/draft_score.h"
#include "core/search/evolutionary_policy.h"
#include "core/session/run/cost_learner.h"
#include "core/space/annotation.h"
#include "core/tensor/access_analysis.h"
#include "tests/bench/bench_program.h"
#include "tests/bench/trial_overhead.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace nestwright::bench::search {
namespace {

struct Options {
  std::vector<std::string> tasks = {
      "matmul:m=512,n=512,k=512",
      "conv2d:n=1,h=28,w=28,ci=128,co=128,k=3,s=1,p=1,bias=1,relu=1",
  };
  int batch = 64;
  int training = 512; // programs that the model has learned from
  int repeats = 3;
  unsigned threads = 0;
  OverheadOptions session;
  std::string json;
};

template <class F>
double seconds(const F& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The best of some repeats.
template <class F>
double best(int repeats, const F& f) {
  double least = seconds(f);
  for (int i = 1; i < repeats; ++i)
    least = std::min(least, seconds(f));
  return least;
}

/// A task with a cost model that learned from made-up times: smooth in the features, so that the
/// trees get as deep as those of real times.
class Subject {
 public:
  Subject(const std::string& text, const Options& options)
      : workload(parseTaskSpec(text)), learner(costModel("xgboost"), backend("llvm").target(1)) {
    context.dag = &workload.dag;
    context.taskKey = workloadKey(workload.dag);
    context.space.target = backend("llvm").target(1);
    sketches = generateSketches(workload.dag, context.space);
    context.sketches = &sketches;
    context.seed = 1;
    context.threads = options.threads;
    std::vector<MeasuredProgram> measured;
    for (const State& state : sample(options.training, 1)) {
      double time = 0;
      for (const StatementFeatures& row : statementFeatures(state))
        for (std::size_t i = 0; i < row.values.size(); ++i)
          time += std::abs(row.values[i] - 8.0F) * static_cast<float>(1 + i % 7);
      const std::string id = programId(workload.dag, state.steps());
      measured.push_back({context.taskKey, &workload.dag, state.steps(), id, 1e-6 * time});
    }
    learner.add(measured);
    trainSeconds = seconds([&] { report = learner.update(); });
    context.scorer = &learner;
    context.draft = draftOf(context.space.target);
    context.draftUse = draftUseFromName(options.session.draft).value();
    for (std::size_t i = 0; i < measured.size() && i < 409; ++i)
      context.measuredBest.push_back(measured[i].steps);
  }

  std::vector<State> sample(int count, std::uint64_t seed) const {
    std::vector<State> states;
    for (std::uint64_t draw = 0; static_cast<int>(states.size()) < count; ++draw) {
      Random random = Random::stream(seed, context.taskKey, draw);
      SampledProgram program = sampleProgram(sketches, context.space, random);
      if (program.state) states.push_back(std::move(*program.state));
    }
    return states;
  }

  Workload workload;
  std::vector<Sketch> sketches;
  CostLearner learner;
  SearchContext context;
  UpdateReport report;
  double trainSeconds = 0;
};

nlohmann::json benchTask(const std::string& text, const Options& options) {
  constexpr int kPrograms = 2048;
  const Subject subject(text, options);
  std::vector<State> states;
  const double sampling = seconds([&] { states = subject.sample(kPrograms, 2); });
  const int threads = options.threads > 0 ? static_cast<int>(options.threads)
                                          : static_cast<int>(std::thread::hardware_concurrency());
  ProgramFeatureOptions paper;
  paper.choice.lowered = false;
  const double features = best(
      options.repeats, [&] { programFeatures(states, paper, static_cast<unsigned>(threads)); });
  const double scored = best(options.repeats, [&] { subject.learner.score(states); });
  const double lowered = seconds([&] {
    for (std::size_t i = 0; i < states.size(); i += 32)
      lower(states[i], lowerOptionsFor(subject.context.space.target));
  });
  const EvolutionaryPolicyOptions policy;
  const double proposal = best(
      options.repeats, [&] { EvolutionaryPolicy(policy).propose(options.batch, subject.context); });
  const double evolved =
      policy.samplesPerProposal + policy.evolution.generations * policy.evolution.population;
  return {{"task", text},
          {"samples_per_second_one_thread", kPrograms / sampling},
          {"features_per_second", kPrograms / features},
          {"scores_per_second", kPrograms / scored},
          {"lowered_per_second_one_thread", kPrograms / 32 / lowered},
          {"end_to_end_per_second", evolved / proposal},
          {"proposal_seconds", proposal},
          {"train_seconds", subject.trainSeconds},
          {"trees", subject.report.trees},
          {"threads", threads}};
}

/// How fast programs are thought of.
nlohmann::json benchThinking(const Options& options) {
  nlohmann::json rows = nlohmann::json::array();
  fmt::print("programs per second; seconds of proposing {}, and of learning from {}\n",
             options.batch, options.training);
  fmt::print("{:<62} {:>8} {:>9} {:>9} {:>8} {:>10} {:>9} {:>8}\n", "task", "sampled", "features",
             "scored", "lowered", "end to end", "proposal", "train");
  for (const std::string& text : options.tasks) {
    const nlohmann::json row = benchTask(text, options);
    const auto value = [&](const char* key) { return row.at(key).get<double>(); };
    fmt::print("{:<62} {:>8.0f} {:>9.0f} {:>9.0f} {:>8.0f} {:>10.0f} {:>7.2f} s {:>6.3f} s\n", text,
               value("samples_per_second_one_thread"), value("features_per_second"),
               value("scores_per_second"), value("lowered_per_second_one_thread"),
               value("end_to_end_per_second"), value("proposal_seconds"), value("train_seconds"));
    rows.push_back(row);
  }
  return rows;
}

/// What a trial of a real session costs beside its kernels.
nlohmann::json benchTrials(const Options& options) {
  nlohmann::json rows = nlohmann::json::array();
  fmt::print("milliseconds per trial beside kernels, {} trials by the policy \"{}\" in rounds of "
             "{}, three repeats of at least {:.3g} ms\n",
             options.session.trials, options.session.policy, options.session.trialsPerRound,
             1e3 * options.session.repeatSeconds);
  fmt::print("{:<62} {:>8} {:>8}", "task", "wall", "overhead");
  constexpr const char* kParts[] = {"sample",  "evolve",  "feature", "predict", "train",
                                    "compile", "measure", "store",   "rest",    "beside"};
  for (const char* part : kParts)
    fmt::print(" {:>8}", part);
  fmt::print("\n");
  for (const std::string& text : options.tasks) {
    const TrialOverhead overhead = trialOverhead(text, options.session);
    nlohmann::json row = toJson(overhead);
    fmt::print("{:<62} {:>6.1f} s {:>8.1f}", text, overhead.wall, 1e3 * overhead.perTrial());
    for (const char* part : kParts)
      fmt::print(" {:>8.2f}", 1e3 * row.at(fmt::format("{}_seconds", part)).get<double>() /
                                  static_cast<double>(std::max<std::int64_t>(1, overhead.trials)));
    fmt::print("\n");
    row["task"] = text;
    rows.push_back(std::move(row));
  }
  return rows;
}

void run(const Options& options) {
  nlohmann::json document;
  if (options.repeats > 0) document["thinking"] = benchThinking(options);
  if (options.session.trials > 0) document["trials"] = benchTrials(options);
  if (!options.json.empty()) std::ofstream(options.json) << document.dump(2) << '\n';
}

int start(int argc, char** argv) {
  Options options;
  CLI::App app("Speed of sampling, features, prediction and evolution; overhead of a trial");
  app.add_option("task", options.tasks, "Operators (default: a matmul and a convolution)");
  app.add_option("--batch", options.batch, "Programs proposed")->capture_default_str();
  app.add_option("--training", options.training, "Programs that the model has learned from")
      ->capture_default_str();
  app.add_option("--repeats", options.repeats, "The best of so many times (0: sessions only)")
      ->capture_default_str();
  app.add_option("--threads", options.threads, "Threads (0: all cores)")->capture_default_str();
  OverheadOptions& session = options.session;
  app.add_option("--trials", session.trials, "Trials of the sessions (0: no sessions)")
      ->capture_default_str();
  app.add_option("--trials-per-round", session.trialsPerRound, "Largest batch")
      ->capture_default_str();
  app.add_option("--policy", session.policy, "Search policy of the sessions")
      ->capture_default_str();
  app.add_option("--ahead", session.ahead, "Whether rounds are proposed ahead: on or off")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  app.add_option("--draft", session.draft, "Where the draft is asked: off, first or all")
      ->check(CLI::IsMember(draftUseNames()))
      ->capture_default_str();
  app.add_option("--target", session.target, "Target of the sessions")->capture_default_str();
  app.add_option("--builders", session.builders, "Processes that compile (0: all cores)")
      ->capture_default_str();
  app.add_option("--repeat-seconds", session.repeatSeconds, "Least time of each of three repeats")
      ->capture_default_str();
  app.add_option("--json", options.json, "Write the numbers to this file, too");
  CLI11_PARSE(app, argc, argv);
  session.threads = options.threads;
  run(options);
  return 0;
}

[[maybe_unused]] const bool isKnown = add({"search", start});

} // namespace
} // namespace nestwright::bench::search
