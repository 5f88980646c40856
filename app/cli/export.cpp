#include "app/cli/checks.h"
#include "app/cli/named_rows.h"
#include "app/cli/output.h"
#include "app/cli/pause_on_signal.h"
#include "app/cli/verbs.h"
#include "core/logs/export_log.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/support/error.h"
#include "core/support/output_file.h"
#include "core/support/quantity.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwright::cli {

namespace {

struct ExportVerbOptions {
  std::string database, format = "tvm", output, verdict, filter;
  RecordQuery query;
  bool onlyKnownToTvm = false, json = false;
};

/// What TVM would do with what was written; empty where it would do nothing wrong.
std::string warningAbout(const ExportReport& report, const ExportVerbOptions& options) {
  if (report.unknownToTvm == 0 || options.format == "csv") return "";
  if (options.onlyKnownToTvm)
    return fmt::format("{} more have pragmas that TVM does not know; they were left out\n",
                       report.unknownToTvm);
  return fmt::format("{} of them have pragmas that TVM does not know and at which its process "
                     "ends; --only-known-to-tvm leaves them out\n",
                     report.unknownToTvm);
}

void exportRecords(ExportVerbOptions& options) {
  std::atomic<bool> stop{false};
  PauseOnSignal signal; // before any thread
  signal.watch([&] { stop = true; });
  requireNamedRows(options.database, options.query);
  const RecordStore store = RecordStore::open(options.database, OpenMode::ReadOnly);
  if (!options.verdict.empty()) options.query.verdict = verdictFromName(options.verdict);
  if (!options.filter.empty()) options.query.filter = parseRecordFilter(options.filter);
  options.query.order = RecordQuery::Order::Oldest;
  ExportOptions wanted;
  wanted.format = options.format == "csv"      ? ExportFormat::Csv
                  : options.format == "tenset" ? ExportFormat::TenSet
                                               : ExportFormat::Tvm;
  wanted.output = options.output;
  wanted.query = options.query;
  wanted.onlyKnownToTvm = options.onlyKnownToTvm;
  ProgressLine line;
  const auto total = double(store.records().total(options.query.task));
  const ExportReport report = exportLog(store, wanted, stop, [&](std::int64_t records) {
    line.show(double(records), total, fmt::format("{} records", records));
  });
  line.clear();
  const std::string warning = warningAbout(report, options);
  if (isStandardOutput(options.output)) {
    cli::print(stderr, "{}", warning);
    return;
  }
  if (options.json)
    printJson({{"records", report.records},
               {"files", report.files},
               {"unknown_to_tvm", report.unknownToTvm},
               {"cancelled", report.cancelled}});
  else if (report.cancelled)
    cli::print("stopped; files that were not complete were removed\n");
  else
    cli::print("{} in {}\n{}", quantity(report.records, "record"), quantity(report.files, "file"),
               warning);
}

} // namespace

void addExport(CLI::App& app) {
  auto options = std::make_shared<ExportVerbOptions>();
  CLI::App* verb = app.add_subcommand(
      "export",
      "Write records as JSON lines of TVM's auto-scheduler, as a table, or as TenSet has them");
  verb->footer(
      "  nestwright export tuned.nwdb --output tuned.json\n"
      "  nestwright export tuned.nwdb --format csv --verdict ok --output - | head\n"
      "  nestwright export tenset.nwdb --format tenset --output dataset\n\n"
      "A file appears under its name when it is complete; links are followed, and devices, pipes\n"
      "and /dev/stdout are written to as they are. Importing what was exported gives the same\n"
      "records, and exporting what was imported gives the lines of its logs back: of TVM's\n"
      "auto-scheduler in the form in which it writes them, of AutoTVM number for number.");
  verb->add_option("file", options->database, "Record file")->required();
  verb->add_option("--format", options->format,
                   "tvm: JSON lines; csv: a table; tenset: a folder with a file for each task")
      ->check(CLI::IsMember({"tvm", "csv", "tenset"}))
      ->capture_default_str();
  verb->add_option("-o,--output", options->output,
                   "File or, for tenset, folder to write; -: standard output")
      ->required();
  verb->add_option(
      "--filter", options->filter,
      "Only what these words say, as in nestwright query: \"task:conv2d latency<1ms\"");
  verb->add_option("--task", options->query.task, "Only this task (its id in the file)");
  verb->add_option("--session", options->query.session, "Only this session");
  verb->add_option("--verdict", options->verdict, "Only this verdict, e.g. ok or \"run timeout\"")
      ->check(verdictProblem);
  verb->add_option("--below", options->query.belowSeconds, "Only times below this many seconds")
      ->check(notNegative());
  verb->add_flag("--only-known-to-tvm", options->onlyKnownToTvm,
                 "Leave out programs with pragmas of our own, at which TVM's process ends");
  verb->add_flag("--json", options->json, "Print the result as one JSON document");
  verb->callback([options] { exportRecords(*options); });
}

} // namespace nestwright::cli
