#include "app/cli/output.h"
#include "app/cli/prepare.h"
#include "app/cli/verbs.h"
#include "core/session/run/steering.h"
#include "core/support/quantity.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwright::cli {

namespace {

struct ForgetOptions {
  std::string database;
  std::vector<RowId> records;
  bool undo = false;
  bool json = false;
};

void forget(const ForgetOptions& options) {
  prepareForWriting(options.database);
  const std::vector<RowId> changed =
      forgetRecords(options.database, options.records, !options.undo, Sender::CommandLine);
  if (options.json) {
    printJson({{"records", changed}, {"forgotten", !options.undo}});
    return;
  }
  cli::print("{} of {} {}\n", changed.size(), quantity(std::ssize(options.records), "record"),
             options.undo ? "restored" : "forgotten");
  if (!options.undo && !changed.empty())
    cli::print("they stay in the file; `nestwright forget --undo` brings them back\n");
}

} // namespace

void addForget(CLI::App& app) {
  auto options = std::make_shared<ForgetOptions>();
  CLI::App* verb = app.add_subcommand(
      "forget", "Let records no longer count: bests, cost model and lists are without them");
  verb->add_option("records", options->records,
                   "Records (their ids in the file, as `nestwright query` lists them)")
      ->required();
  verb->add_option("--db", options->database, "Record file")->required();
  verb->add_flag("--undo", options->undo, "Let forgotten records count again");
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { forget(*options); });
}

} // namespace nestwright::cli
