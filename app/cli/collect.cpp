#include "app/cli/checks.h"
#include "app/cli/choice_option.h"
#include "app/cli/output.h"
#include "app/cli/prepare.h"
#include "app/cli/run_session.h"
#include "app/cli/target_options.h"
#include "app/cli/verbs.h"
#include "app/cli/worker_command.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/collection.h"
#include "core/session/run/task_failure.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace nestwright::cli {

namespace {

struct CollectOptions {
  SessionConfig config;
  std::int64_t programsPerTask = 4000;
  double maxFlops = 0;
  std::vector<std::string> without;
  std::string database, tasks, shard, workerCommand;
  bool json = false;
};

CollectionPart partOf(const CollectOptions& options) {
  CollectionPart part{options.programsPerTask, {}, options.maxFlops, options.without};
  if (!options.tasks.empty())
    part.tasks = parseTaskRange(options.tasks);
  else if (!options.shard.empty())
    part.tasks = parseShard(options.shard, countTasks(options.config.subjects, part));
  return part;
}

void report(const CollectOptions& options, const RecordStore& store, RowId id,
            SessionStatus status) {
  const SessionSummary sums = store.sessions().summary(id);
  const std::vector<TaskRow> tasks = store.sessions().tasks(id);
  std::int64_t full = 0;
  for (const TaskRow& task : tasks) {
    std::int64_t records = 0;
    for (const VerdictCount& count : store.records().verdictCounts(id, task.id))
      records += count.records;
    full += records >= options.programsPerTask ? 1 : 0;
  }
  const std::vector<UntunedTask> failed = untunedTasks(store, id);
  if (options.json)
    return printJson({{"session", id},
                      {"failed_tasks", failed.size()},
                      {"tasks", tasks.size()},
                      {"full_tasks", full},
                      {"programs", sums.trials},
                      {"errors", sums.errors},
                      {"kernel_seconds", sums.kernelSeconds},
                      {"status", name(status)},
                      {"db", store.path()}});
  cli::print("{} of {} in {}, {} with an error; {} with their {}\n",
             quantity(sums.trials, "program"), quantity(std::ssize(tasks), "task"), store.path(),
             sums.errors, quantity(full, "task"), options.programsPerTask);
  if (status == SessionStatus::Paused)
    cli::print("paused; the same command goes on\n");
  else if (full < std::int64_t(tasks.size()))
    cli::print("the other tasks have no further programs, or cannot be measured here\n");
  if (!failed.empty()) cli::print("{}\n", inWords(failed));
}

void collect(CollectOptions& options) {
  PauseOnSignal signals;
  const WorkerLaunch launch = workerLaunchFromText(options.workerCommand);
  if (options.database.empty()) options.database = "collection.nwdb";
  options.config.subjects = withSetsSpelledOut(options.config.subjects);
  const CollectionPart part = partOf(options);
  const SessionConfig config = collectionConfig(options.config);
  checkConfig(config); // before a file is made
  prepareForWriting(options.database, OpenMode::Create);
  RecordStore store = RecordStore::open(options.database, OpenMode::Create);
  bool isNew = false;
  const RowId id = openCollection(store, config, part, isNew, launch);
  if (!isNew && !options.json)
    cli::print(stderr, "going on with the collection in {}\n", options.database);
  const SessionStatus status = runToItsEnd(options.database, id, launch, signals);
  report(options, store, id, status);
}

} // namespace

void addCollect(CLI::App& app) {
  auto options = std::make_shared<CollectOptions>();
  SessionConfig& config = options->config;
  config.trialsPerRound = 64;
  CLI::App* verb = app.add_subcommand(
      "collect", "Measure random programs of every task: a data set of your own");
  verb->footer(
      "Random programs of each task are drawn and measured, as TenSet was made, the tasks taking\n"
      "turns. However it ends (Ctrl+C, kill, power cut), the same command goes on. Several "
      "machines\n"
      "share the tasks with --shard or --tasks; their files come together with import, and\n"
      "importing one twice changes nothing:\n\n"
      "  nestwright collect zoo --shard 3/8 --db part3.nwdb\n"
      "  nestwright import all.nwdb part1.nwdb part2.nwdb part3.nwdb\n\n"
      "Records stay with the machine that measured them. `nestwright tasks zoo` counts the tasks,\n"
      "`nestwright export` writes them as TenSet has them.");
  verb->add_option("subject", config.subjects,
                   "Networks and tasks as `nestwright tune` takes them, and sets of networks: zoo, "
                   "zoo_batch1, zoo_train, zoo_test")
      ->required();
  verb->add_option("--db", options->database, "Record file (collection.nwdb)");
  verb->add_option("--programs-per-task", options->programsPerTask, "Programs of each task")
      ->check(positive())
      ->capture_default_str();
  CLI::Option* tasks =
      verb->add_option("--tasks", options->tasks, "Only these tasks, counted from 0: 0..199, or 7");
  verb->add_option("--shard", options->shard, "Only this part of the tasks: 3/8")->excludes(tasks);
  verb->add_option("--max-flops", options->maxFlops,
                   "Only tasks with fewer operations: 200e6 (default: all)")
      ->check(positive());
  verb->add_option("--without", options->without,
                   "No task that one of these networks or sets of them has, by what it computes: "
                   "zoo_test");
  verb->add_option("--programs-per-turn", config.trialsPerRound, "Programs in a task's turn")
      ->check(positive())
      ->capture_default_str();
  verb->add_option("--seed", config.seed, "Seed of the draws")->capture_default_str();
  addChoice(*verb, "--space", config.space, kSearchSpaceNames,
            "What programs are drawn from: sketches, or templates, the configurations of "
            "AutoTVM's templates of tasks that one fits");
  verb->add_option("--templates", config.templates,
                   "Templates that may be drawn from, separated by commas (default: all)");
  verb->add_option("--rules", config.rules,
                   "Sketch rules, as `nestwright sketches --help` explains")
      ->capture_default_str();
  addTf32(*verb, config.tf32);
  addTarget(*verb, config.target, "What the programs are for")->capture_default_str();
  addLowering(*verb, config.target);
  addInstructionSet(*verb, config.target);
  addDevice(*verb, config.measure.device);
  verb->add_option("--threads", config.measure.threads, "Threads of the kernels; 0: all cores")
      ->check(notNegative());
  addEvaluator(*verb, config.measure.evaluator);
  addRepeats(*verb, config.measure);
  addWorkerCommand(*verb, options->workerCommand);
  verb->add_flag("--json", options->json, "Print the result as one JSON document");
  verb->callback([options] { collect(*options); });
}

} // namespace nestwright::cli
