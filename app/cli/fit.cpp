#include "app/cli/checks.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/deploy/deploy_options.h"
#include "core/deploy/fit_library.h"
#include "core/plugin/plugin.h"
#include "core/record/store/store.h"
#include "core/support/error.h"
#include "core/support/units.h"
#include "core/target/instruction_set.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace nestwright::cli {

namespace {

struct FitVerbOptions {
  std::string subject, database;
  InstructionSet instructionSet = InstructionSet::Native;
  std::optional<double> required;
  int cores = 0; // 0: all
  bool json = false;
};

void print(const FitReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const FittingTask& task : report.tasks)
    rows.push_back({task.name, fmt::format("{:g}", task.weight), name(task.fit),
                    formatSeconds(task.seconds), task.target});
  printTable({"task", "weight", "tuned", "time there", "on"}, rows, {1, 3});
  cli::print("\nof {} tasks {} were tuned on this CPU ({}), {} on a compatible one, {} never\n",
             report.tasks.size(), report.count(TaskFit::Here), report.target,
             report.count(TaskFit::Compatible), report.count(TaskFit::Never));
}

/// Fails where fewer are tuned here than the options want.
void require(const FitVerbOptions& options, const FitReport& report) {
  if (options.required && report.tunedShare() < *options.required)
    throw InputError(fmt::format("{:.1f} % of the tasks were tuned on this CPU, and "
                                 "--require-tuned wants {:.1f} %",
                                 100 * report.tunedShare(), 100 * *options.required));
}

void fitLibrary(const FitVerbOptions& options) {
  const LibraryFit fit = fitOfLibrary(options.subject, backend("llvm").target(0));
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

void fitRecords(const FitVerbOptions& options) {
  const RecordStore store = RecordStore::open(options.database, OpenMode::ReadOnly);
  const FitReport report =
      fitOf(options.subject, store,
            withInstructionSet(backend("llvm").target(options.cores), options.instructionSet));
  if (options.json)
    printJson(toJson(report));
  else
    print(report);
  require(options, report);
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
               "  nestwright fit resnet18 --db resnet18.nwdb --require-tuned 95%\n"
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
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { fit(*options); });
}

} // namespace nestwright::cli
