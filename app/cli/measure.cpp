#include "app/cli/checks.h"
#include "app/cli/output.h"
#include "app/cli/prepare.h"
#include "app/cli/run_session.h"
#include "app/cli/target_options.h"
#include "app/cli/verbs.h"
#include "app/cli/worker_command.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/again/measure_again.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwright::cli {

namespace {

struct MeasureVerbOptions {
  std::string database, filter, workerCommand;
  AgainWish wish;
  bool compare = false, json = false;
};

nlohmann::json toJson(const TaskAgreement& task) {
  nlohmann::json worst = nlohmann::json::array();
  for (const TimeAgain& pair : task.worst)
    worst.push_back({{"before", pair.before},
                     {"now", pair.now},
                     {"seconds_before", pair.secondsBefore},
                     {"seconds_now", pair.secondsNow},
                     {"surprise", pair.surprise}});
  return {{"task", task.task},
          {"name", task.name},
          {"programs", task.programs},
          {"failed", task.failed},
          {"kendall_tau", task.rankCorrelation},
          {"ratio_of_medians", task.ratioOfMedians},
          {"worst", std::move(worst)}};
}

void printAgreement(const std::vector<TaskAgreement>& tasks) {
  for (const TaskAgreement& task : tasks) {
    cli::print("{}: {} ran both times, Kendall's tau {:.3f}, times {:.3f} x as long", task.name,
               quantity(task.programs, "program"), task.rankCorrelation, task.ratioOfMedians);
    if (task.failed > 0) cli::print("; {} ran before and fail now", task.failed);
    cli::print("\n");
    for (const TimeAgain& pair : task.worst)
      cli::print("  record {}: {} then, {} in record {}, {:.2f} x what the others suggest\n",
                 pair.before, formatSeconds(pair.secondsBefore), formatSeconds(pair.secondsNow),
                 pair.now, pair.surprise);
  }
}

/// What of the wish could not be fulfilled.
void printLeftOut(const AgainSession& opened) {
  for (const std::string& clause : leftOutText(opened))
    cli::print(stderr, "left out: {}\n", clause);
}

void report(const MeasureVerbOptions& options, const RecordStore& store, const AgainSession& opened,
            SessionStatus status) {
  const SessionSummary sums = store.sessions().summary(opened.session);
  std::vector<TaskAgreement> agreement;
  if (options.compare) agreement = agreementOf(store, opened.session);
  if (options.json) {
    nlohmann::json json = {{"session", opened.session},
                           {"records", opened.records},
                           {"measured", sums.trials},
                           {"errors", sums.errors},
                           {"without_dag", opened.withoutDag},
                           {"for_other_machines", opened.forOthers},
                           {"without_template", opened.withoutTemplate},
                           {"repeats", opened.repeats},
                           {"status", name(status)},
                           {"db", store.path()}};
    if (options.compare) {
      json["tasks"] = nlohmann::json::array();
      for (const TaskAgreement& task : agreement)
        json["tasks"].push_back(toJson(task));
    }
    return printJson(json);
  }
  cli::print("session {}: {} of {} measured again, {} with an error\n", opened.session, sums.trials,
             quantity(opened.records, "program"), sums.errors);
  if (status == SessionStatus::Paused) cli::print("paused; the same command goes on\n");
  printAgreement(agreement);
}

void measure(MeasureVerbOptions& options) {
  PauseOnSignal signals;
  const WorkerLaunch launch = workerLaunchFromText(options.workerCommand);
  if (!options.filter.empty()) options.wish.query.filter = parseRecordFilter(options.filter);
  prepareForWriting(options.database, OpenMode::ReadWrite);
  RecordStore store = RecordStore::open(options.database, OpenMode::ReadWrite);
  const AgainSession opened = openMeasureAgain(store, options.wish, launch);
  printLeftOut(opened);
  if (!opened.isNew && !options.json)
    cli::print(stderr, "going on with session {}\n", opened.session);
  report(options, store, opened, runToItsEnd(options.database, opened.session, launch, signals));
}

} // namespace

void addMeasure(CLI::App& app) {
  auto options = std::make_shared<MeasureVerbOptions>();
  AgainWish& wish = options->wish;
  SessionConfig& config = wish.config;
  config.checkShare = 1; // whether a program computes here what it should is half of the question
  CLI::App* verb = app.add_subcommand(
      "measure", "Measure the programs of records again, here: of logs, of another lowering");
  verb->footer(
      "A session of its own measures them, on this machine, and each of its records names the one\n"
      "that the program comes from. However it ends, the same command goes on.\n\n"
      "  nestwright import bert.nwdb tuned_elsewhere.json\n"
      "  nestwright measure --db bert.nwdb --limit 300 --compare\n"
      "  nestwright measure --db bert.nwdb --filter \"task:conv2d verdict:ok\" --lowering plain\n\n"
      "--compare says for each task how well the old times and the new agree: Kendall's tau of\n"
      "the two orders, the ratio of their medians, and the programs that disagree most.");
  verb->add_option("--db", options->database, "Record file")->required();
  verb->add_option(
      "--filter", options->filter,
      "Only what these words say, as in nestwright query: \"task:conv2d latency<1ms\"");
  verb->add_option("--task", wish.query.task, "Only this task (its id in the file)");
  verb->add_option("--session", wish.query.session, "Only this session");
  verb->add_option("--limit", wish.limit, "So many of them, drawn at random (0: all)")
      ->check(notNegative())
      ->capture_default_str();
  verb->add_option("--seed", wish.seed, "Seed of that draw")->capture_default_str();
  addTarget(*verb, config.target, "What the programs are for")->capture_default_str();
  addLowering(*verb, config.target);
  addInstructionSet(*verb, config.target);
  addDevice(*verb, config.measure.device);
  verb->add_option("--threads", config.measure.threads, "Threads of the kernels; 0: all cores")
      ->check(notNegative());
  verb->add_option("--check", config.checkShare,
                   "Share of the programs whose answers are compared with the naive program's")
      ->check(between(0.0, 1.0))
      ->capture_default_str();
  verb->add_flag("--anew", wish.anew, "Begin again where the same ones were measured before");
  verb->add_flag("--compare", options->compare, "Compare old times with new ones");
  addEvaluator(*verb, config.measure.evaluator);
  addRepeats(*verb, config.measure);
  addWorkerCommand(*verb, options->workerCommand);
  verb->add_flag("--json", options->json, "Print the result as one JSON document");
  verb->callback([options] { measure(*options); });
}

} // namespace nestwright::cli
