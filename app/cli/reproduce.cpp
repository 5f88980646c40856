#include "app/cli/checks.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "app/cli/worker_command.h"
#include "core/record/store/store.h"
#include "core/session/run/again/reproducer.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <chrono>

namespace nestwright::cli {

namespace {

struct ReproduceOptions {
  std::string subject, database, output, workerCommand;
  double shortenSeconds = 60;
  bool json = false;
};

WorkerLaunch launchOf(const ReproduceOptions& options) {
  return workerLaunchFromText(options.workerCommand);
}

RowId recordNumber(const std::string& text) {
  RowId record = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), record);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError(fmt::format("{}: with --db, the id of a record was expected", text));
  return record;
}

/// The record's failure into a file.
void write(const ReproduceOptions& options) {
  if (options.output.empty())
    throw UsageError("--output is missing: the file that is to show the failure");
  const RecordStore store = RecordStore::open(options.database, OpenMode::ReadOnly);
  const Reproducer recorded = reproducerOf(store, recordNumber(options.subject));
  ProgressLine line;
  const auto start = std::chrono::steady_clock::now();
  const auto spent = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const ShortReproducer result =
      shortened(recorded, measureInWorkers(launchOf(options), recorded.target), [&] {
        line.show(spent(), options.shortenSeconds, "leaving steps out");
        return spent() < options.shortenSeconds;
      });
  line.clear();
  writeReproducer(options.output, result.reproducer);
  const Reproducer& written = result.reproducer;
  if (options.json) {
    printJson({{"file", options.output},
               {"verdict", name(written.verdict)},
               {"steps", written.steps.size()},
               {"recorded_steps", written.recordedSteps},
               {"attempts", result.attempts},
               {"minimal", result.minimal}});
    return;
  }
  cli::print("{}: {} with {} of {}{}\nsee it again with: nestwright reproduce {}\n", options.output,
             name(written.verdict), written.steps.size(),
             quantity(std::int64_t(written.recordedSteps), "step"),
             result.minimal ? ", of which none can be left out"
                            : "; with more time, fewer might do (--shorten-seconds)",
             options.output);
}

/// The file's failure on this machine.
void repeat(const ReproduceOptions& options) {
  const Reproducer reproducer = readReproducer(options.subject);
  const MeasureResult result = measureInWorkers(launchOf(options), reproducer.target)(
      reproducer.options, requestOf(reproducer));
  const bool same = showsTheSame(reproducer, result);
  if (options.json)
    printJson({{"same", same},
               {"recorded", name(reproducer.verdict)},
               {"verdict", name(result.verdict)},
               {"failing_step", result.failingStep},
               {"error", result.error},
               {"repeats", result.seconds}});
  else if (result.verdict == Verdict::Ok)
    cli::print("{} ({})\n", name(result.verdict), formatSeconds(result.latency()));
  else
    cli::print("{}: {}\n", name(result.verdict), result.error);
  if (!same)
    throw InputError(fmt::format(
        "the failure does not show itself here: it was recorded as \"{}\"{}",
        name(reproducer.verdict),
        reproducer.failingStep < 0 ? "" : fmt::format(" at step {}", reproducer.failingStep)));
}

} // namespace

void addReproduce(CLI::App& app) {
  auto options = std::make_shared<ReproduceOptions>();
  CLI::App* verb = app.add_subcommand(
      "reproduce", "A record's failure as a file of its own, as short as it gets; or such a file "
                   "on this machine");
  verb->add_option("failure", options->subject,
                   "With --db, the id of a failed record (nestwright query lists them), which is "
                   "written to --output; else a file so written, whose program is compiled and "
                   "run: the exit code is 0 when it fails as recorded, and 1 when it does not")
      ->required();
  CLI::Option* database = verb->add_option("--db", options->database, "Record file");
  verb->add_option("-o,--output", options->output, "File to make")->needs(database);
  verb->add_option("--shorten-seconds", options->shortenSeconds,
                   "Time for leaving out steps that the failure does not need (0: keep all)")
      ->needs(database)
      ->check(notNegative())
      ->capture_default_str();
  addWorkerCommand(*verb, options->workerCommand);
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->footer("The file holds the computation, the steps, the time-outs and tolerances that "
               "decide the verdict, and\nwhat was recorded; no command, path or other program.");
  verb->callback([options] {
    if (options->database.empty())
      repeat(*options);
    else
      write(*options);
  });
}

} // namespace nestwright::cli
