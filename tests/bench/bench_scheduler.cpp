/// \file How many trials the gradient scheduler needs to come as far as round-robin does with all
/// of its own: as a share, per seed and in the median. Measured on this machine, or replayed from
/// the records of a random search.

#include "core/record/store/session_rows.h"
#include "core/session/run/session.h"
#include "core/support/error.h"
#include "core/support/units.h"
#include "tests/bench/bench_program.h"
#include "tests/bench/informed_plan.h"
#include "tests/bench/scheduler_replay.h"
#include "tests/bench/shared_measurements.h"

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>

namespace nestwright::bench::scheduler {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Options {
  SessionConfig config;
  std::vector<std::uint64_t> seeds{1, 2, 3};
  std::string replayFile, json, keep, worker = NESTWRIGHT_PROGRAM;
  RowId session = 0;
  GradientOptions gradient; // of replays; sessions take the defaults
};

/// What came out for one seed.
struct Outcome {
  std::uint64_t seed = 0;
  double roundRobinSeconds = 0;                          // its estimate after all trials
  std::int64_t roundRobinTrials = 0, gradientTrials = 0; // 0: not reached
  double gradientSeconds = 0;                            // when it was reached, or after all trials
  double share() const {
    return gradientTrials > 0 ? static_cast<double>(gradientTrials) / roundRobinTrials : kInfinity;
  }
};

/// The estimate as it was after every trial; stops at `until`.
std::vector<double> tuneOnce(const std::string& file, RowId session, double until,
                             SharedMeasurements& measurements) {
  std::vector<double> totals;
  std::mutex mutex;
  Session* self = nullptr;
  std::string failure;
  double total = kInfinity;
  const auto observe = [&](const Event& event) {
    const std::lock_guard lock(mutex);
    if (std::holds_alternative<Measured>(event)) {
      totals.push_back(total);
      if (totals.size() % 50 == 0)
        fmt::print(stderr, "  {} trials, {}\n", totals.size(), formatSeconds(total));
    } else if (const auto* best = std::get_if<NewBest>(&event)) {
      total = totals.back() = best->totalSeconds; // told right after its trial
      if (total <= until && self) self->post(Stop{});
    } else if (const auto* state = std::get_if<StateChanged>(&event)) {
      if (state->status == SessionStatus::Failed) failure = state->reason;
    }
  };
  Session tuning(file, session, observe, measurements.forNextSession());
  self = &tuning;
  tuning.post(Start{});
  if (tuning.wait() == SessionStatus::Failed) throw SystemError(failure);
  return totals;
}

/// Both schedulers on this machine. A program, the naive ones too, has the same time in both.
Outcome measureSeed(const Options& options, std::uint64_t seed, const std::string& folder) {
  Outcome outcome;
  outcome.seed = seed;
  SessionConfig config = options.config;
  config.seed = seed;
  SharedMeasurements measurements(config.measure, {{options.worker, "worker"}});
  for (const char* scheduler : {"round-robin", "gradient"}) {
    const bool first = outcome.roundRobinTrials == 0;
    config.scheduler = scheduler;
    const std::string file = fmt::format("{}/{}-{}.nwdb", folder, scheduler, seed);
    RecordStore store = RecordStore::open(file, OpenMode::Create);
    const RowId session = createSession(store, config);
    fmt::print(stderr, "seed {}, {}\n", seed, scheduler);
    const std::vector<double> totals =
        tuneOnce(file, session, first ? 0 : outcome.roundRobinSeconds, measurements);
    if (first) {
      outcome.roundRobinSeconds = totals.back();
      outcome.roundRobinTrials = static_cast<std::int64_t>(totals.size());
    } else {
      outcome.gradientTrials = trialsToReach(totals, outcome.roundRobinSeconds);
      outcome.gradientSeconds = totals.back();
    }
  }
  fmt::print(stderr, "{} measured, {} shared\n", measurements.measured(), measurements.reused());
  return outcome;
}

std::vector<Outcome> measureAll(const Options& options) {
  const bool keep = !options.keep.empty();
  std::string folder = options.keep;
  if (!keep)
    folder = std::filesystem::temp_directory_path() / fmt::format("bench_scheduler-{}", getpid());
  std::filesystem::create_directories(folder);
  std::vector<Outcome> outcomes;
  for (const std::uint64_t seed : options.seeds)
    outcomes.push_back(measureSeed(options, seed, folder));
  if (!keep) std::filesystem::remove_all(folder);
  return outcomes;
}

std::vector<RecordedTask> replayedTasks(const Options& options) {
  const RecordStore store = RecordStore::open(options.replayFile, OpenMode::ReadOnly);
  return recordedTasks(store, options.session ? options.session : store.sessions().all().back().id);
}

std::vector<Outcome> replayAll(const Options& options, const std::vector<RecordedTask>& tasks) {
  std::vector<Outcome> outcomes;
  for (const std::uint64_t seed : options.seeds) {
    ReplayOptions replayed{options.config.trials, options.config.trialsPerRound, seed};
    GradientOptions gradientOptions = options.gradient;
    gradientOptions.seed = seed;
    const std::vector<double> roundRobin = replay(tasks, RoundRobinScheduler(), replayed).totals;
    const std::vector<double> gradient =
        replay(tasks, GradientScheduler({}, gradientOptions), replayed).totals;
    Outcome outcome{seed, roundRobin.back(), static_cast<std::int64_t>(roundRobin.size()), 0, 0};
    outcome.gradientTrials = trialsToReach(gradient, outcome.roundRobinSeconds);
    outcome.gradientSeconds = gradient.back();
    outcomes.push_back(outcome);
  }
  return outcomes;
}

double medianShare(const std::vector<Outcome>& outcomes) {
  std::vector<double> shares;
  for (const Outcome& outcome : outcomes)
    shares.push_back(outcome.share());
  std::sort(shares.begin(), shares.end());
  return shares[(shares.size() - 1) / 2] / 2 + shares[shares.size() / 2] / 2;
}

void print(const Options& options, const std::vector<Outcome>& outcomes) {
  fmt::print("{}{}, {} trials, {} at most in a round\n", subjectText(options.config),
             options.replayFile.empty() ? "" : " (replayed)", options.config.trials,
             options.config.trialsPerRound);
  fmt::print("{:>6}  {:>14}  {:>20}  {:>6}\n", "seed", "round-robin", "gradient reaches it",
             "share");
  for (const Outcome& o : outcomes)
    fmt::print("{:>6}  {:>14}  {:>20}  {:>6}\n", o.seed, formatSeconds(o.roundRobinSeconds),
               o.gradientTrials > 0 ? fmt::format("after {} trials", o.gradientTrials) : "not",
               o.gradientTrials > 0 ? fmt::format("{:.1f} %", 100 * o.share()) : "—");
  fmt::print("median share {:.1f} %\n", 100 * medianShare(outcomes));
}

nlohmann::json toJson(const Options& options, const std::vector<Outcome>& outcomes) {
  const auto number = [](double value) {
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
  };
  nlohmann::json seeds = nlohmann::json::array();
  for (const Outcome& o : outcomes)
    seeds.push_back({{"seed", o.seed},
                     {"round_robin_seconds", number(o.roundRobinSeconds)},
                     {"round_robin_trials", o.roundRobinTrials},
                     {"gradient_trials", o.gradientTrials},
                     {"gradient_seconds", number(o.gradientSeconds)},
                     {"share", number(o.share())}});
  return {{"networks", options.config.subjects},
          {"replayed", !options.replayFile.empty()},
          {"trials", options.config.trials},
          {"trials_per_round", options.config.trialsPerRound},
          {"policy", options.config.policy},
          {"seeds", seeds},
          {"median_share", number(medianShare(outcomes))}};
}

void run(const Options& options) {
  std::vector<Outcome> outcomes;
  nlohmann::json limit;
  if (options.replayFile.empty()) {
    outcomes = measureAll(options);
    print(options, outcomes);
  } else {
    const std::vector<RecordedTask> tasks = replayedTasks(options);
    outcomes = replayAll(options, tasks);
    print(options, outcomes);
    const InformedPlan plan = informedPlan(tasks, options.config.trials);
    fmt::print("a plan that knows every task's programs in advance: {:.1f} % ({} of {} trials)\n",
               100 * plan.share(), plan.trials, plan.roundRobinTrials);
    limit = {{"trials", plan.trials},
             {"round_robin_trials", plan.roundRobinTrials},
             {"expected_seconds", plan.seconds}};
  }
  if (options.json.empty()) return;
  nlohmann::json document = toJson(options, outcomes);
  if (!limit.is_null()) document["informed_plan"] = limit;
  std::ofstream file(options.json);
  file << document.dump(2) << "\n";
  if (!file.flush()) throw SystemError(fmt::format("{} cannot be written", options.json));
}

int start(int argc, char** argv) {
  CLI::App app("Trials of the gradient scheduler against round-robin's");
  Options options;
  SessionConfig& config = options.config;
  config.subjects = {"resnet50"};
  config.policy = "random";
  config.trialsPerRound = 8; // a short warm-up
  config.measure.threads = 1;
  app.add_option("--network", config.subjects, "networks to tune together")->capture_default_str();
  app.add_option("--trials", config.trials, "of each session")->capture_default_str();
  app.add_option("--trials-per-round", config.trialsPerRound, "at most")->capture_default_str();
  app.add_option("--policy", config.policy, "random or evolutionary")->capture_default_str();
  app.add_option("--seeds", options.seeds, "one run of both schedulers each")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--threads", config.measure.threads, "of the kernels")->capture_default_str();
  app.add_option("--repeats", config.measure.repeats, "of each program")->capture_default_str();
  app.add_option("--worker", options.worker, "the nestwright that measures")->capture_default_str();
  app.add_option("--keep", options.keep, "folder that keeps the sessions' files");
  app.add_option("--replay", options.replayFile,
                 "measure nothing: deal out the trials of a session with the policy random again; "
                 "seed 0 in their order, other seeds drawn from them");
  app.add_option("--session", options.session, "of the replayed file (default: the newest)");
  for (const auto& [name, value] : {std::pair{"--alpha", &options.gradient.alpha},
                                    {"--beta", &options.gradient.beta},
                                    {"--epsilon", &options.gradient.epsilon}})
    app.add_option(name, *value, "of the replayed gradient scheduler")->capture_default_str();
  for (const auto& [name, value] : {std::pair{"--window", &options.gradient.window},
                                    {"--patience", &options.gradient.patience}})
    app.add_option(name, *value, "of the replayed gradient scheduler, rounds")
        ->capture_default_str();
  app.add_option("--json", options.json, "also write the numbers to this file");
  CLI11_PARSE(app, argc, argv);
  run(options);
  return 0;
}

[[maybe_unused]] const bool isKnown = add({"scheduler", start});

} // namespace
} // namespace nestwright::bench::scheduler
