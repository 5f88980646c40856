#include "app/cli/db/db.h"
#include "app/cli/output.h"
#include "app/cli/pause_on_signal.h"
#include "core/session/insight/salvage_document.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <atomic>

namespace nestwright::cli {

namespace {

using nlohmann::json;

struct SalvageOptions {
  std::string file, output;
  bool json = false;
};

std::string progressText(const SalvageProgress& progress) {
  return fmt::format("{}: {} rows", progress.doing, progress.rows);
}

std::string resultText(const SalvageReport& report) {
  if (!report.lost) return quantity(report.records, "record");
  return fmt::format("{} of {}", report.records, quantity(report.records + *report.lost, "record"));
}

void salvage(const SalvageOptions& options) {
  std::atomic<bool> stop{false};
  PauseOnSignal signal; // before any thread
  signal.watch([&] { stop = true; });
  ProgressLine line;
  const SalvageReport report =
      salvageDocument(options.file, options.output, stop, [&](const SalvageProgress& progress) {
        line.show(double(progress.rows), double(progress.records.value_or(0)),
                  progressText(progress));
      });
  line.clear();
  if (options.json) {
    json document{{"file", options.file},         {"output", options.output},
                  {"records", report.records},    {"lost", nullptr},
                  {"losses", report.losses},      {"problems", report.problems},
                  {"cancelled", report.cancelled}};
    if (report.lost) document["lost"] = *report.lost;
    printJson(document);
  } else if (report.cancelled) {
    cli::print("stopped; {} is not there\n", options.output);
  } else {
    cli::print("{}: {}\n", options.output, resultText(report));
    if (report.losses.empty()) cli::print("nothing that could be read is missing\n");
    for (const std::string& loss : report.losses)
      cli::print("  lost: {}\n", loss);
  }
  if (report.records == 0 && !report.losses.empty() && !report.cancelled)
    throw InputError(fmt::format("no record of {} can be read", options.file));
  if (!report.problems.empty())
    throw InputError(fmt::format("{} is not sound: {}", options.output, report.problems.front()));
}

} // namespace

void addDbSalvage(CLI::App& db) {
  auto options = std::make_shared<SalvageOptions>();
  CLI::App* verb =
      db.add_subcommand("salvage", "Copy what can be read of a damaged file into a new one");
  verb->footer(
      "  nestwright db salvage damaged.nwdb --output saved.nwdb\n\n"
      "Reads around the damaged places, leaves out what cannot be understood, and says what is\n"
      "missing. The new file is sound: sums and bests are made anew, and logs of which records\n"
      "were lost are read again when they are imported again. The damaged file stays as it is.");
  verb->add_option("file", options->file, "The damaged record file")->required();
  verb->add_option("-o,--output", options->output, "The new file")->required();
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { salvage(*options); });
}

} // namespace nestwright::cli
