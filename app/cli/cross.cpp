#include "app/cli/checks.h"
#include "app/cli/ended_well.h"
#include "app/cli/output.h"
#include "app/cli/pause_on_signal.h"
#include "app/cli/prepare.h"
#include "app/cli/verbs.h"
#include "app/cli/worker_command.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/crossing/crossing.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/session.h"
#include "core/session/run/trouble.h"
#include "core/support/error.h"
#include "core/support/json_number.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

namespace nestwright::cli {

namespace {

using nlohmann::json;

struct CrossOptions {
  CrossingConfig config;
  std::string database, workerCommand;
  int measure = 0, limit = 12;
  bool json = false;
};

/// What came of measuring: records by programId, and the best before and after.
struct Measurements {
  std::map<std::string, Record> records;
  std::optional<Record> before, after;
};

/// The file's newest session with this task, unless one is asked for.
RowId sessionOf(const RecordStore& store, const CrossOptions& options) {
  if (options.config.session != 0) return options.config.session;
  RowId newest = 0;
  for (const SessionRow& session : store.sessions().all())
    for (const TaskRow& task : store.sessions().tasks(session.id))
      if (task.id == options.config.task) newest = session.id;
  if (newest == 0)
    throw InputError(fmt::format("{} has no session with a task {}; `nestwright db stats {}` lists "
                                 "the tasks",
                                 store.path(), options.config.task, store.path()));
  return newest;
}

/// Waits until the session has measured the children, and what is contested again in turns.
Measurements measured(const CrossOptions& options, const Crossing& crossing,
                      const std::vector<int>& chosen, PauseOnSignal& signals) {
  prepareForWriting(options.database);
  Measurements result;
  {
    const RecordStore store = RecordStore::open(options.database, OpenMode::ReadOnly);
    result.before = store.records().best(options.config.task);
  }
  std::mutex mutex;
  std::vector<RowId> records;
  std::string refusal;
  StateChanged trouble; // none as it is
  ProgressLine line;
  {
    const auto observe = [&](const Event& event) {
      const std::lock_guard lock(mutex);
      if (const auto* told = std::get_if<Measured>(&event)) {
        records.push_back(told->record);
        line.show(static_cast<double>(records.size()), static_cast<double>(chosen.size()),
                  fmt::format("measuring crosses, {}/{}", records.size(), chosen.size()));
      } else if (const auto* refused = std::get_if<CommandRefused>(&event)) {
        refusal = refused->reason;
      } else if (const auto* state = std::get_if<StateChanged>(&event)) {
        if (needsHelp(state->status, state->cause)) trouble = *state;
      }
    };
    Session session(options.database, options.config.session, observe, nullptr,
                    workerLaunchFromText(options.workerCommand));
    signals.watch([&session] { session.post(Pause{}, Sender::Signal); });
    for (const int child : chosen)
      session.post(MeasureProgram{options.config.task,
                                  namedProgram(crossing,
                                               crossing.children[static_cast<std::size_t>(child)])},
                   Sender::CommandLine);
    session.wait();
    line.clear();
  }
  if (!refusal.empty()) throw InputError(refusal);
  requireEndedWell(trouble.status, trouble.cause, trouble.reason);
  const RecordStore store = RecordStore::open(options.database, OpenMode::ReadOnly);
  for (const RowId id : records)
    if (std::optional<Record> record = store.records().one(id))
      result.records.insert_or_assign(record->program, std::move(*record));
  result.after = store.records().best(options.config.task);
  return result;
}

std::string letters(const std::vector<int>& origins) {
  std::string text;
  for (const int origin : origins)
    text += origin == 0 ? 'A' : 'B';
  return text;
}

json childJson(const CrossChild& child, int number, const Measurements& measurements, int repeats) {
  json j{{"cross", number},
         {"parents", {child.parents[0] + 1, child.parents[1] + 1}},
         {"outcome", name(child.outcome)},
         {"reason", child.reason},
         {"program", child.programId},
         {"origins", letters(child.origins)},
         {"predicted", child.score ? finiteOrNull(*child.score) : json(nullptr)},
         {"predicted_better", child.predictedBetter},
         {"measured", nullptr}};
  const auto found = measurements.records.find(child.programId);
  if (found != measurements.records.end() && child.outcome == CrossOutcome::Legal)
    j["measured"] = {{"record", found->second.id},
                     {"seconds", finiteOrNull(found->second.result.latency())},
                     {"standing", name(standingOf(found->second, repeats))}};
  return j;
}

json bestJson(const std::optional<Record>& best) {
  if (!best) return nullptr;
  return {{"record", best->id}, {"program", best->program}, {"seconds", best->result.latency()}};
}

json resultJson(const CrossOptions& options, const Crossing& crossing,
                const Measurements& measurements, int repeats) {
  const CrossTally account = tally(crossing.children);
  json result{{"session", options.config.session},
              {"task", options.config.task},
              {"seed", options.config.seed},
              {"parents", json::array()},
              {"crosses", json::array()},
              {"legal", account.legal},
              {"illegal", account.illegal},
              {"duplicate", account.duplicate},
              {"reasons", account.reasons},
              {"predicted", crossing.predicted},
              {"unpredicted", crossing.unpredicted},
              {"predicted_better", account.predictedBetter},
              {"best_before", bestJson(measurements.before)},
              {"best_after", bestJson(measurements.after)}};
  for (const CrossingParent& parent : crossing.parents)
    result["parents"].push_back({{"record", parent.record},
                                 {"program", parent.program},
                                 {"seconds", finiteOrNull(parent.seconds)}});
  for (std::size_t i = 0; i < crossing.children.size(); ++i)
    result["crosses"].push_back(
        childJson(crossing.children[i], static_cast<int>(i) + 1, measurements, repeats));
  return result;
}

std::string measuredText(const Measurements& measurements, const CrossChild& child, int repeats) {
  const auto found = measurements.records.find(child.programId);
  if (found == measurements.records.end()) return "";
  const double seconds = found->second.result.latency();
  if (!std::isfinite(seconds)) return "failed";
  const CrossStanding standing = standingOf(found->second, repeats);
  return standing == CrossStanding::Slower
             ? formatSeconds(seconds)
             : fmt::format("{} ({})", formatSeconds(seconds), name(standing));
}

void printCrosses(const Crossing& crossing, const std::vector<int>& shown,
                  const Measurements& measurements, int repeats) {
  std::vector<std::vector<std::string>> rows;
  for (const int i : shown) {
    const CrossChild& child = crossing.children[static_cast<std::size_t>(i)];
    rows.push_back(
        {fmt::format("{}", i + 1),
         fmt::format("P{} x P{}", child.parents[0] + 1, child.parents[1] + 1),
         child.score ? fmt::format("{:.3f}{}", *child.score, child.predictedBetter ? " better" : "")
                     : "",
         measuredText(measurements, child, repeats), letters(child.origins)});
  }
  printTable({"cross", "parents", "predicted", "measured", "steps of A or B"}, rows, {0});
}

/// The new best with both its parents, or that there is none.
void printBest(const Crossing& crossing, const Measurements& measurements) {
  if (measurements.records.empty()) return;
  const std::optional<Record>&before = measurements.before, &after = measurements.after;
  const auto child = std::ranges::find_if(crossing.children, [&](const CrossChild& one) {
    return after && one.programId == after->program && measurements.records.contains(one.programId);
  });
  if (child == crossing.children.end()) {
    cli::print("{} measured, none a new best\n", measurements.records.size());
    return;
  }
  const double now = after->result.latency(), was = before ? before->result.latency() : now;
  cli::print("{} measured; cross {} is the new best: {}, {:.1f} % less than before, record {}\n",
             measurements.records.size(), child - crossing.children.begin() + 1, formatSeconds(now),
             100 * (1 - now / was), after->id);
  for (int side = 0; side < 2; ++side) {
    const CrossingParent& parent =
        crossing.parents[static_cast<std::size_t>(child->parents[static_cast<std::size_t>(side)])];
    cli::print("  parent {} is P{}: {}, record {}\n", side == 0 ? 'A' : 'B',
               child->parents[static_cast<std::size_t>(side)] + 1, formatSeconds(parent.seconds),
               parent.record);
  }
}

void printAccount(const CrossOptions& options, const Crossing& crossing) {
  const CrossTally account = tally(crossing.children);
  cli::print("{}, {} crosses, seed {}: {} legal, {} illegal, {} duplicate; ",
             quantity(std::ssize(crossing.parents), "parent"), crossing.children.size(),
             options.config.seed, account.legal, account.illegal, account.duplicate);
  if (crossing.predicted)
    cli::print("{} predicted better than both parents\n", account.predictedBetter);
  else
    cli::print("nothing is predicted: {}\n", crossing.unpredicted);
  for (const auto& [reason, count] : account.reasons)
    cli::print("  illegal {}: {}\n", quantity(count, "time"), reason);
}

void cross(CrossOptions& options) {
  PauseOnSignal signals;
  Crossing crossing;
  int repeats = 0;
  {
    const RecordStore store = RecordStore::open(options.database, OpenMode::ReadOnly);
    options.config.session = sessionOf(store, options);
    crossing = crossRecords(store, options.config);
    repeats = configOf(sessionRow(store, options.config.session)).measure.repeats;
  }
  const std::vector<int> chosen = mostPromising(crossing.children, options.measure);
  const Measurements measurements =
      chosen.empty() ? Measurements() : measured(options, crossing, chosen, signals);
  if (options.json) {
    printJson(resultJson(options, crossing, measurements, repeats));
    return;
  }
  printCrosses(crossing, mostPromising(crossing.children, std::max(options.measure, options.limit)),
               measurements, repeats);
  cli::print("\n");
  printAccount(options, crossing);
  printBest(crossing, measurements);
}

} // namespace

void addCross(CLI::App& app) {
  auto options = std::make_shared<CrossOptions>();
  CrossingConfig& config = options->config;
  CLI::App* verb = app.add_subcommand(
      "cross", "Cross the fastest programs of a task with one another: each child takes every "
               "decision in which two parents differ from one of them");
  verb->add_option("--db", options->database, "Record file")->required();
  verb->add_option("--task", config.task, "The task (its id in the file)")->required();
  verb->add_option("--session", config.session,
                   "Of which session (default: the newest that has the task)");
  CLI::Option* top = verb->add_option("--top", config.top, "Parents: the task's fastest programs")
                         ->check(between(2, 10'000))
                         ->capture_default_str();
  verb->add_option("--parents", config.records,
                   "Parents: the programs of these records, in place of the fastest")
      ->excludes(top);
  verb->add_option("--count", config.count, "Crosses")
      ->check(between(1, 100'000))
      ->capture_default_str();
  verb->add_option("--seed", config.seed, "Seed of the draws")->capture_default_str();
  verb->add_option("--measure", options->measure,
                   "Measure the most promising so many: those predicted better than both parents "
                   "first. It takes nothing of the session's budget")
      ->check(between(0, 100'000))
      ->capture_default_str();
  addWorkerCommand(*verb, options->workerCommand);
  verb->add_option("--limit", options->limit, "Crosses to list, the most promising first")
      ->check(notNegative())
      ->capture_default_str();
  verb->add_flag("--json", options->json, "Print all crosses as one JSON document");
  verb->callback([options] { cross(*options); });
}

} // namespace nestwright::cli
