#include "app/cli/output.h"
#include "app/cli/search_options.h"
#include "app/cli/target_options.h"
#include "app/cli/verbs.h"
#include "app/cli/worker_command.h"
#include "core/measure/worker_target.h"
#include "core/session/run/memory/known_programs.h"
#include "core/session/run/memory/session_memory.h"
#include "core/session/run/subject.h"
#include "core/support/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>

namespace nestwright::cli {

namespace {

struct SeedsOptions {
  SessionConfig config;
  std::string database, workerCommand;
  bool json = false;
};

void printRecall(const TaskRecall& recall) {
  cli::print("{}: {}\n", recall.name, recall.standing());
  for (const RememberedProgram& program : recall.programs)
    cli::print("  {} {}\n", program.isMeasured ? "to measure:" : "a parent: ", reasonText(program));
  for (const UnfitProgram& unfit : recall.unfit)
    cli::print("  left out:   record {} of {} ({}): {}\n", unfit.record, unfit.fromTask,
               meaning(unfit.source), unfit.why);
}

void seeds(SeedsOptions& options) {
  SessionConfig& config = options.config;
  settleMemory(config);
  if (config.memory.empty())
    throw UsageError("without a memory there is nothing to list: leave --memory off out");
  checkMemory(config);
  if (config.memory == std::vector<std::string>{kOwnMemory} &&
      !std::filesystem::exists(options.database))
    throw InputError(
        fmt::format("there is no file {}, and no other was named with --memory", options.database));
  const std::vector<Subject> subjects = subjectsOf(config);
  const TargetFacts target =
      measuredTarget(config.target, config.measure, workerLaunchFromText(options.workerCommand));
  const SessionMemory memory = recall(config, subjects, target, options.database);
  if (options.json) return printJson(toJson(memory));
  for (const TaskRecall& recall : memory.tasks)
    printRecall(recall);
}

} // namespace

void addSeeds(CLI::App& app) {
  auto options = std::make_shared<SeedsOptions>();
  SessionConfig& config = options->config;
  CLI::App* verb = app.add_subcommand(
      "seeds",
      "What is known of tasks: programs of earlier sessions, re-fitted, that a new session "
      "would begin with, and why");
  verb->add_option("subject", config.subjects, "Networks, tasks or files with a compute DAG")
      ->required();
  verb->add_option("--db", options->database, "Record file of the session")->required();
  addMemory(*verb, config);
  addTarget(*verb, config.target, "What it would tune for")->capture_default_str();
  addLowering(*verb, config.target);
  addInstructionSet(*verb, config.target);
  addDevice(*verb, config.measure.device);
  addWorkerCommand(*verb, options->workerCommand);
  verb->add_option("--threads", config.measure.threads,
                   "Threads of the tuned kernels (0: all cores)")
      ->check(CLI::NonNegativeNumber);
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { seeds(*options); });
}

} // namespace nestwright::cli
