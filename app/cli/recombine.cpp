#include "app/cli/checks.h"
#include "app/cli/ended_well.h"
#include "app/cli/output.h"
#include "app/cli/pause_on_signal.h"
#include "app/cli/prepare.h"
#include "app/cli/target_options.h"
#include "app/cli/verbs.h"
#include "app/cli/worker_command.h"
#include "core/network/zoo/zoo.h"
#include "core/record/store/recombination_rows.h"
#include "core/record/store/store.h"
#include "core/session/recombination/recombination.h"
#include "core/session/run/trouble.h"
#include "core/session/run/tuned_on.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mutex>

namespace nestwright::cli {

namespace {

using nlohmann::json;

struct RecombineOptions {
  RecombinationConfig config;
  std::string database, reference = "naive", workerCommand;
  bool keep = false, resume = false, json = false, events = false;
};

/// Where nothing else was asked for, the network runs on what the file says it was tuned for.
void choosePlace(const RecordStore& store, RecombinationConfig& config) {
  if (!config.target.empty()) return;
  const TunedOn on = lastTunedOn(store, specText(parseNetworkSpec(config.network)));
  for (const std::string& note : on.notes)
    cli::print(stderr, "note: {}\n", note);
  config.target = on.target;
  if (config.device.empty()) config.device = on.device;
}

RowId chooseRecombination(RecordStore& store, const RecombineOptions& options,
                          const WorkerLaunch& launch) {
  if (options.resume) {
    if (const std::optional<RowId> open = resumableRecombination(store, options.config, launch))
      return *open;
    cli::print(stderr, "Nothing to resume for {} in {}: starting a new recombination.\n",
               options.config.network, store.path());
  }
  return createRecombination(store, options.config, launch);
}

json sampleJson(const SampleRow& sample) {
  return {{"sample", sample.sample},
          {"baseline", isBaseline(sample)},
          {"choice", sample.choice},
          {"verdict", name(sample.verdict)},
          {"error", sample.error},
          {"seconds", sample.seconds},
          {"median_seconds", knownSeconds(secondsOf(sample))},
          {"wall_seconds", sample.wallSeconds}};
}

json claimJson(const WinnerClaim& claim) {
  return {{"sample", claim.sample},
          {"verdict", name(claim.verdict)},
          {"sample_seconds", claim.pairs.claimant},
          {"baseline_seconds", claim.pairs.best}};
}

/// One line of JSON, flushed at once: a script that reads it knows that it is in the file.
void printEvent(const RecombinationEvent& event) {
  json line;
  if (const auto* status = std::get_if<RecombinationStatusChanged>(&event))
    line = {{"event", "status"}, {"status", name(status->status)}, {"reason", status->reason}};
  else if (const auto* phase = std::get_if<RecombinationPhase>(&event))
    line = {{"event", "phase"}, {"text", phase->text}};
  else if (const auto* sample = std::get_if<SampleMeasured>(&event))
    (line = sampleJson(sample->row))["event"] = "sample";
  else
    (line = claimJson(std::get<ClaimJudged>(event).claim))["event"] = "claim";
  cli::print("{}\n", jsonLine(line));
  std::fflush(stdout);
}

/// What is known of the recombination, as the file has it.
struct Outcome {
  RecombinationRow row;
  RecombinationState state;
  std::vector<SampleRow> samples;
  RecombinationSummary summary;
};

Outcome outcomeOf(const RecordStore& store, RowId id) {
  Outcome outcome{*store.recombinations().one(id), {}, store.recombinations().samples(id), {}};
  outcome.state = recombinationStateFromText(outcome.row.state);
  outcome.summary = summarise(outcome.samples, outcome.state.claims);
  return outcome;
}

json tasksJson(const Outcome& outcome) {
  json tasks = json::array();
  for (std::size_t i = 0; i < outcome.state.candidates.size(); ++i) {
    const TaskCandidates& task = outcome.state.candidates[i];
    int rank = 0;
    if (outcome.summary.winner)
      rank = outcome.samples.at(static_cast<std::size_t>(*outcome.summary.winner)).choice.at(i);
    const RankedProgram& program = task.programs.at(static_cast<std::size_t>(rank));
    tasks.push_back({{"name", task.name},
                     {"weight", task.weight},
                     {"candidates", task.programs.size()},
                     {"rank", rank},
                     {"record", program.record},
                     {"seconds", program.seconds},
                     {"best_seconds", task.programs.front().seconds}});
  }
  return tasks;
}

json resultJson(const Outcome& outcome, bool kept) {
  const RecombinationSummary& s = outcome.summary;
  json result{{"recombination", outcome.row.id},
              {"status", name(outcome.row.status)},
              {"config", toJson(configOf(outcome.row))},
              {"samples", json::array()},
              {"claims", json::array()},
              {"baseline_seconds", knownSeconds(s.baselineSeconds)},
              {"noise_seconds", s.noiseSeconds},
              {"drift", s.drift},
              {"fastest_sample", s.fastest ? json(*s.fastest) : json(nullptr)},
              {"fastest_seconds", knownSeconds(s.fastestSeconds)},
              {"winner", s.winner ? json(*s.winner) : json(nullptr)},
              {"gain", nullptr},
              {"kept", kept},
              {"tasks", tasksJson(outcome)},
              {"wall_seconds", outcome.row.wallSeconds}};
  if (s.gain)
    result["gain"] = {{"ratio", s.gain->ratio}, {"low", s.gain->low}, {"high", s.gain->high}};
  for (const SampleRow& sample : outcome.samples)
    result["samples"].push_back(sampleJson(sample));
  for (const WinnerClaim& claim : outcome.state.claims)
    result["claims"].push_back(claimJson(claim));
  return result;
}

void printTasks(const Outcome& outcome) {
  std::vector<std::vector<std::string>> rows;
  for (const json& task : tasksJson(outcome)) {
    const double seconds = task["seconds"], best = task["best_seconds"];
    const int rank = task["rank"];
    rows.push_back(
        {task["name"], fmt::format("{:g}", task["weight"].get<double>()),
         rank == 0 ? "best" : fmt::format("{} of {}", rank + 1, task["candidates"].get<int>()),
         formatSeconds(seconds),
         rank == 0 ? "" : fmt::format("{:+.1f} %", 100 * (seconds / best - 1)),
         fmt::format("{}", task["record"].get<RowId>())});
  }
  printTable({"task", "weight", "candidate", "alone", "to best", "record"}, rows, {1, 3, 4, 5});
}

/// As the commands that are printed need it, which find no recombination of the other kind.
const char* tf32Option(const RecombineOptions& options) {
  return options.config.tf32 ? " --tf32" : "";
}

void printOutcome(const Outcome& outcome, const RecombineOptions& options, bool kept) {
  const RecombinationSummary& s = outcome.summary;
  if (s.winner) {
    printTasks(outcome);
    cli::print("\n");
  }
  cli::print("per-task bests: {} end to end, noise of one measurement {}, drift {:+.1f} %\n",
             formatSeconds(s.baselineSeconds), formatSeconds(s.noiseSeconds), 100 * s.drift);
  cli::print("{} measured, {} failed", quantity(s.samples, "combination"), s.failed);
  if (s.fastest)
    cli::print("; fastest: sample {}, {}", *s.fastest, formatSeconds(s.fastestSeconds));
  cli::print("\n");
  if (s.winner)
    cli::print("sample {} is {:.2f} % faster than the per-task bests (95 % confidence: {:.2f} to "
               "{:.2f} %), confirmed in turns\n",
               *s.winner, 100 * (1 - 1 / s.gain->ratio), 100 * (1 - 1 / s.gain->low),
               100 * (1 - 1 / s.gain->high));
  else if (outcome.row.status == SessionStatus::Finished)
    cli::print("no combination is significantly faster than the per-task bests\n");
  if (kept)
    cli::print("kept: nestwright run {} --db {}{} runs with it\n", options.config.network,
               options.database, tf32Option(options));
  else if (s.winner)
    cli::print("to run with it: nestwright recombine {} --db {}{} --resume --keep\n",
               options.config.network, options.database, tf32Option(options));
}

std::string progressText(const Outcome& outcome, const std::string& phase, int samples) {
  const RecombinationSummary& s = outcome.summary;
  if (!phase.empty()) return phase;
  std::string text =
      fmt::format("{}/{}  bests {}", s.samples, samples, formatSeconds(s.baselineSeconds));
  if (s.fastest)
    text += fmt::format("  fastest {} ({:+.1f} %)", formatSeconds(s.fastestSeconds),
                        100 * (s.fastestSeconds / s.baselineSeconds - 1));
  return text + fmt::format("  noise {}  {} failed", formatSeconds(s.noiseSeconds), s.failed);
}

/// Shows where it stands, from what it tells.
class RecombinationTeller {
 public:
  RecombinationTeller(Outcome outcome, bool events)
      : outcome_(std::move(outcome)), events_(events) {}

  void take(const RecombinationEvent& event) {
    const std::lock_guard lock(mutex_);
    if (events_) printEvent(event);
    if (const auto* status = std::get_if<RecombinationStatusChanged>(&event)) {
      status_ = *status;
    } else if (const auto* phase = std::get_if<RecombinationPhase>(&event)) {
      phase_ = phase->text;
    } else if (const auto* sample = std::get_if<SampleMeasured>(&event)) {
      outcome_.samples.push_back(sample->row);
      outcome_.summary = summarise(outcome_.samples, {});
      phase_.clear();
    }
    const int samples = configOf(outcome_.row).samples;
    line_.show(outcome_.summary.samples, samples, progressText(outcome_, phase_, samples));
  }
  /// The last status that was told.
  RecombinationStatusChanged finish() {
    const std::lock_guard lock(mutex_);
    line_.clear();
    return status_;
  }

 private:
  std::mutex mutex_;
  Outcome outcome_;
  bool events_;
  std::string phase_;
  RecombinationStatusChanged status_;
  ProgressLine line_;
};

/// The finished recombination whose winner is asked for, when there is nothing left to measure.
std::optional<RowId> finishedOne(const RecordStore& store, const RecombineOptions& options,
                                 const WorkerLaunch& launch) {
  if (!options.resume || !options.keep || resumableRecombination(store, options.config, launch))
    return std::nullopt;
  return newestRecombination(store, options.config, launch);
}

void recombine(RecombineOptions& options) {
  options.config.reference = networkReferenceFromName(options.reference);
  PauseOnSignal signals;
  const WorkerLaunch launch = workerLaunchFromText(options.workerCommand);
  prepareForWriting(options.database);
  RecordStore store = RecordStore::open(options.database, OpenMode::ReadWrite);
  choosePlace(store, options.config);
  const std::optional<RowId> done = finishedOne(store, options, launch);
  const RowId id = done ? *done : chooseRecombination(store, options, launch);
  RecombinationTeller progress(outcomeOf(store, id), options.events);
  SessionStatus status = SessionStatus::Finished;
  if (!done) {
    if (const std::optional<std::string> session = runningSession(store))
      cli::print(stderr, "Waits, because {}; Ctrl+C gives up waiting.\n", *session);
    Recombination run(
        options.database, id, [&](const RecombinationEvent& event) { progress.take(event); },
        nullptr, launch);
    signals.watch([&run] { run.post(Pause{}); });
    run.post(Start{});
    status = run.wait();
    const RecombinationStatusChanged last = progress.finish();
    requireEndedWell(status, last.cause, last.reason);
  }
  const Outcome outcome = outcomeOf(store, id);
  const bool kept = options.keep && outcome.summary.winner.has_value();
  if (kept) keepSample(store, id, *outcome.summary.winner);
  if (options.json) {
    printJson(resultJson(outcome, kept));
  } else if (!options.events) {
    printOutcome(outcome, options, kept);
    if (status == SessionStatus::Paused)
      cli::print("paused; go on with: nestwright recombine {} --db {}{} --resume\n",
                 options.config.network, options.database, tf32Option(options));
  }
}

} // namespace

void addRecombine(CLI::App& app) {
  auto options = std::make_shared<RecombineOptions>();
  RecombinationConfig& config = options->config;
  CLI::App* verb = app.add_subcommand(
      "recombine", "Measure random combinations of each task's fastest programs end to end, since "
                   "the programs that are fastest alone need not be the fastest together");
  verb->add_option("network", config.network, "Network: resnet18:batch=1, model.onnx")->required();
  verb->add_option("--db", options->database, "Record file")->required();
  addPlace(*verb, config.target);
  addInstructionSet(*verb, config.target);
  addDevice(*verb, config.device);
  addTf32Programs(*verb, config.tf32);
  addWorkerCommand(*verb, options->workerCommand);
  verb->add_option("--k", config.k, "Candidates of each task: its k fastest programs")
      ->check(between(1, 100))
      ->capture_default_str();
  verb->add_option("--samples", config.samples, "Combinations to measure")
      ->check(positive())
      ->capture_default_str();
  verb->add_option("--seed", config.seed, "Seed of the combinations")->capture_default_str();
  verb->add_option("--threads", config.threads, "Threads of the kernels (0: all cores)")
      ->check(notNegative());
  verb->add_option("--repeats", config.repeats, "Timed runs of each combination")
      ->check(positive())
      ->capture_default_str();
  verb->add_option("--max-seconds", config.maxSeconds,
                   "Time for the repeats of one combination; a slow network gets fewer")
      ->check(positive())
      ->capture_default_str();
  verb->add_option("--baseline-every", config.baselineEvery,
                   "Samples after which the per-task bests are measured again, so that drift shows")
      ->check(positive())
      ->capture_default_str();
  verb->add_option("--reference", options->reference,
                   "What answers are compared with: naive (the naive programs, run once), or first "
                   "(the per-task bests; for networks too slow for naive programs)")
      ->check(CLI::IsMember({"naive", "first"}))
      ->capture_default_str();
  verb->add_flag("--keep", options->keep,
                 "Keep the winner, if one is confirmed, as what `nestwright run` uses");
  verb->add_flag("--resume", options->resume,
                 "Go on with the file's recombination of this network where it was left; with "
                 "--keep, keep the winner of one that has finished");
  CLI::Option* json =
      verb->add_flag("--json", options->json, "Print the result as one JSON document");
  verb->add_flag("--events", options->events,
                 "Print every event as a line of JSON as soon as it is stored")
      ->excludes(json);
  verb->callback([options] { recombine(*options); });
}

} // namespace nestwright::cli
