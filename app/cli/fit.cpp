#include "app/cli/checks.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "app/cli/worker_command.h"
#include "core/deploy/deploy_options.h"
#include "core/deploy/fit_library.h"
#include "core/deploy/fit_measure.h"
#include "core/plugin/plugin.h"
#include "core/plugin/target_named.h"
#include "core/record/store/store.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/units.h"
#include "core/target/instruction_set.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

namespace nestwright::cli {

namespace {

struct FitVerbOptions {
  std::string subject, database, workerCommand;
  InstructionSet instructionSet = InstructionSet::Native;
  std::optional<double> required;
  std::optional<double> within; // share by which programs may be slower
  bool measure = false;
  int cores = 0; // 0: all
  bool json = false;
};

/// "CPU" or "GPU"
std::string device(const FitReport& report) {
  return namesGpu(report.target.substr(0, report.target.find(' '))) ? "GPU" : "CPU";
}

void print(const FitReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const FittingTask& task : report.tasks)
    rows.push_back({task.name, fmt::format("{:g}", task.weight), name(task.fit),
                    formatSeconds(task.seconds), task.target});
  printTable({"task", "weight", "tuned", "time there", "on"}, rows, {1, 3});
  cli::print("\nof {}: {} tuned on this {} ({}), {} on a compatible one, {} never\n",
             quantity(std::ssize(report.tasks), "task"), report.count(TaskFit::Here),
             device(report), report.target, report.count(TaskFit::Compatible),
             report.count(TaskFit::Never));
}

/// Fails where fewer are tuned here than the options want.
void require(const FitVerbOptions& options, const FitReport& report) {
  if (options.required && report.tunedShare() < *options.required)
    throw InputError(fmt::format("{:.1f} % of the tasks were tuned on this {}, and "
                                 "--require-tuned wants {:.1f} %",
                                 100 * report.tunedShare(), device(report),
                                 100 * *options.required));
}

void fitLibrary(const FitVerbOptions& options) {
  const LibraryFit fit = fitOfLibrary(options.subject, targetNamed(targetNameOf(options.subject)));
  if (options.json) {
    printJson(toJson(fit));
  } else {
    print(fit.report);
    cli::print("the library is whole, and its code for {} runs here\n", fit.processor);
    if (!fit.missingFiles.empty())
      cli::print("not in the folder: {}\n", fmt::join(fit.missingFiles, ", "));
  }
  require(options, fit.report);
}

/// "12.0 % slower", "3.1 % faster", or why it did not run.
std::string kept(const KeptPromise& promise) {
  const double slowdown = promise.slowdown();
  if (!std::isfinite(slowdown)) return promise.failure;
  return fmt::format("{:.1f} % {}", 100 * std::abs(slowdown), slowdown < 0 ? "faster" : "slower");
}

std::vector<KeptPromise> measured(const FitVerbOptions& options, const FitReport& report,
                                  const RecordStore& store, const TargetFacts& machine) {
  ProgressLine line;
  std::vector<KeptPromise> promises = measurePromises(
      report, store, machine, workerLaunchFromText(options.workerCommand),
      [&](std::size_t done, std::size_t all) {
        line.show(static_cast<double>(done), static_cast<double>(all), "measuring again");
      });
  line.clear();
  return promises;
}

void print(const std::vector<KeptPromise>& promises) {
  std::vector<std::vector<std::string>> rows;
  for (const KeptPromise& promise : promises)
    rows.push_back({promise.task, fmt::format("{}", promise.record),
                    formatSeconds(promise.promised), formatSeconds(promise.now), kept(promise)});
  cli::print("\n");
  printTable({"measured again", "record", "promised", "now", "so"}, rows, {1, 2, 3});
}

/// Fails where a program is slower than the options want.
void require(const FitVerbOptions& options, const std::vector<KeptPromise>& promises) {
  if (!options.within) return;
  std::vector<std::string> slow;
  for (const KeptPromise& promise : promises)
    if (promise.slowdown() > *options.within)
      slow.push_back(fmt::format("{} ({})", promise.task, kept(promise)));
  if (!slow.empty())
    throw InputError(fmt::format("{} of {} programs do not keep what their records promise within "
                                 "{:.1f} %: {}",
                                 slow.size(), promises.size(), 100 * *options.within,
                                 fmt::join(slow, ", ")));
}

void fitRecords(const FitVerbOptions& options) {
  const RecordStore store = RecordStore::open(options.database, OpenMode::ReadOnly);
  const TargetFacts machine =
      withInstructionSet(backend("llvm").target(options.cores), options.instructionSet);
  const FitReport report = fitOf(options.subject, store, machine);
  if (!options.json) print(report);
  nlohmann::json document = toJson(report);
  std::vector<KeptPromise> promises;
  if (options.measure || options.within) {
    promises = measured(options, report, store, machine);
    document["measured"] = toJson(promises);
    if (!options.json) print(promises);
  }
  if (options.json) printJson(document);
  require(options, report);
  require(options, promises);
}

void fit(const FitVerbOptions& options) {
  if (!options.database.empty()) return fitRecords(options);
  if (!std::filesystem::is_directory(options.subject))
    throw UsageError(fmt::format("--db is missing: the file with the records of {}; only a folder "
                                 "that deploy wrote says by itself what it has",
                                 options.subject));
  fitLibrary(options);
}

} // namespace

void addFit(CLI::App& app) {
  auto options = std::make_shared<FitVerbOptions>();
  CLI::App* verb = app.add_subcommand(
      "fit",
      "Tell whether a file's records, or a library, still fit this machine: how many tasks were "
      "tuned on it");
  verb->footer("A folder that deploy wrote is compared with its manifest's checksums besides:\n\n"
               "  nestwright fit resnet18 --db resnet18.nwdb --require-tuned 95% --within 10%\n"
               "  nestwright fit build/resnet18");
  verb->add_option("subject", options->subject,
                   "Network, ONNX file, operator, task or DAG file; without --db a folder that "
                   "deploy wrote")
      ->required();
  CLI::Option* database = verb->add_option("--db", options->database, "Record file");
  verb->add_option_function<std::string>(
          "--cpu",
          [options](const std::string& name) {
            options->instructionSet = instructionSetOfProcessor(name);
          },
          "The processor that code is for, as deploy takes it (default native)")
      ->needs(database)
      ->check(CLI::IsMember(processorNames()));
  verb->add_option("--cores", options->cores, "Threads of the programs, as deploy takes them")
      ->needs(database)
      ->check(notNegative());
  verb->add_option_function<std::string>(
      "--require-tuned",
      [options](const std::string& text) { options->required = parseShare(text); },
      "Exit with 1 unless so many of the tasks were tuned on this CPU: 95%");
  verb->add_flag("--measure", options->measure,
                 "Measure the programs that were tuned on this CPU again: how much slower they are "
                 "than their records promise")
      ->needs(database);
  verb->add_option_function<std::string>(
          "--within", [options](const std::string& text) { options->within = parseShare(text); },
          "Measure, and exit with 1 where a program is slower by more than this: 10%")
      ->needs(database);
  addWorkerCommand(*verb, options->workerCommand);
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { fit(*options); });
}

} // namespace nestwright::cli
