#include "app/cli/output.h"
#include "app/cli/prepare.h"
#include "app/cli/run_session.h"
#include "app/cli/target_options.h"
#include "app/cli/verbs.h"
#include "app/cli/worker_command.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/finish/polish_session.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace nestwright::cli {

namespace {

struct PolishOptions {
  PolishWish wish;
  std::string database, workerCommand;
  bool json = false, resume = false;
};

void report(const PolishOptions& options, const RecordStore& store, RowId session,
            SessionStatus status) {
  const RowId task = store.sessions().tasks(session).front().id;
  const std::optional<Record> before = bestBefore(store, session);
  const std::optional<Record> after = store.records().best(task);
  const PolishCourse course = polishCourse(store, session);
  const std::vector<DecisionImportance> decisions = decisionImportance(store, task, session);
  const auto seconds = [](const std::optional<Record>& record) {
    return record ? record->result.latency() : 0;
  };
  const auto number = [](const std::optional<Record>& record) {
    return record ? nlohmann::json(record->id) : nlohmann::json();
  };
  if (options.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const DecisionImportance& decision : decisions)
      list.push_back(toJson(decision));
    return printJson({{"session", session},
                      {"task", task},
                      {"status", name(status)},
                      {"trials", store.sessions().summary(session).trials},
                      {"began_with", number(course.first)},
                      {"came_to", number(course.last)},
                      {"seconds_began", knownSeconds(seconds(course.first))},
                      {"seconds_came_to", knownSeconds(seconds(course.last))},
                      {"best_before", number(before)},
                      {"best_after", number(after)},
                      {"seconds_before", knownSeconds(seconds(before))},
                      {"seconds_after", knownSeconds(seconds(after))},
                      {"decisions", std::move(list)},
                      {"db", store.path()}});
  }
  std::vector<std::vector<std::string>> rows;
  for (const DecisionImportance& decision : decisions)
    rows.push_back({decision.decision, fmt::format("{:.2f}x", decision.importance),
                    fmt::format("{:.1f} %", 100 * decision.bestGain),
                    std::to_string(decision.neighbours.size())});
  printTable({"decision", "matters by", "most gained", "neighbours"}, rows, {1, 2, 3});
  if (course.first && course.last)
    cli::print("\n{}\n", course.first->id == course.last->id
                             ? fmt::format("no neighbour of record {} was faster beyond noise",
                                           course.first->id)
                             : fmt::format("from record {}, {}, to record {}, {}", course.first->id,
                                           formatSeconds(seconds(course.first)), course.last->id,
                                           formatSeconds(seconds(course.last))));
  cli::print("best {} before, {} after; {} in session {}\n", formatSeconds(seconds(before)),
             formatSeconds(seconds(after)),
             quantity(store.sessions().summary(session).trials, "trial"), session);
  if (status == SessionStatus::Paused)
    cli::print("paused; go on with: nestwright polish --db {} --resume\n", store.path());
}

/// The session to run: the one that is there when resuming, else a new one.
RowId chooseSession(RecordStore& store, const PolishOptions& options, const WorkerLaunch& launch) {
  const bool isNamed = options.wish.record != 0 || options.wish.task != 0;
  if (options.resume) {
    if (const std::optional<RowId> session = resumablePolish(store, options.wish)) return *session;
    if (!isNamed)
      throw InputError(
          fmt::format("there is no polish to resume in {}: say which program to polish, "
                      "a record, or --task for the best of a task",
                      store.path()));
    cli::print(stderr, "there is no polish of that to resume in {}: starting a new one\n",
               store.path());
  }
  return createPolishSession(store, options.wish, launch);
}

void polish(PolishOptions& options) {
  const bool record = options.wish.record != 0, task = options.wish.task != 0;
  if (record && task) throw UsageError("a record or --task, not both");
  if (!options.resume && !record && !task)
    throw UsageError("say which program: a record, or --task for the best of a task");
  PauseOnSignal signals;
  const WorkerLaunch launch = workerLaunchFromText(options.workerCommand);
  prepareForWriting(options.database, OpenMode::ReadWrite);
  RecordStore store = RecordStore::open(options.database, OpenMode::ReadWrite);
  const RowId session = chooseSession(store, options, launch);
  const SessionStatus status = runToItsEnd(options.database, session, launch, signals);
  report(options, store, session, status);
}

} // namespace

void addPolish(CLI::App& app) {
  auto options = std::make_shared<PolishOptions>();
  PolishWish& wish = options->wish;
  CLI::App* verb = app.add_subcommand(
      "polish", "Try every other choice for each decision of one program, a step away, and take "
                "what is faster beyond noise, until nothing is");
  verb->footer(
      "A session of its own measures the neighbours, those first that a cost model of the file's\n"
      "records expects most of, and claims to the best are settled in turns with it. The table\n"
      "says how much each decision matters: by how many times its neighbours differ on average.");
  verb->add_option("record", wish.record, "Record whose program is polished");
  verb->add_option("--db", options->database, "Record file")->required();
  verb->add_option("--task", wish.task, "In place of a record: the best of this task (its id)");
  CLI::Option* trials = verb->add_option("--trials", wish.trials, "Neighbours to measure at most")
                            ->check(CLI::Range(1, 100'000))
                            ->capture_default_str();
  verb->add_flag(
          "--resume", options->resume,
          "Go on with the file's polish where it was left, of the record or task where one is "
          "named; it keeps its trials, and decides as one that was not interrupted")
      ->excludes(trials);
  addRepeats(*verb, wish.config.measure);
  addDevice(*verb, wish.config.measure.device);
  addWorkerCommand(*verb, options->workerCommand);
  verb->add_flag("--json", options->json, "Print the result as one JSON document");
  verb->callback([options] { polish(*options); });
}

} // namespace nestwright::cli
