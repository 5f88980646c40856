#include "app/cli/checks.h"
#include "app/cli/output.h"
#include "app/cli/pause_on_signal.h"
#include "app/cli/prepare.h"
#include "app/cli/verbs.h"
#include "core/logs/import_log.h"
#include "core/record/file/file_system.h"
#include "core/record/store/store.h"
#include "core/session/insight/merge_document.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace nestwright::cli {

namespace {

using nlohmann::json;

struct ImportVerbOptions {
  LogImportOptions import;
  bool noZoo = false, noWait = false;
  std::size_t problems = 20;
  bool json = false;
};

std::string progressText(const ImportProgress& p) {
  if (!p.waitingFor.empty())
    return fmt::format("waiting, so that its timings stay true: {}", p.waitingFor);
  return fmt::format("{} of {} files  {} records  {:.0f}/s  {} duplicates  {} broken  {} left",
                     p.filesDone, p.files, p.records, p.recordsPerSecond, p.duplicates, p.broken,
                     formatDuration(p.secondsLeft));
}

std::string problemText(const FileProblem& problem) {
  if (problem.problem.line == 0) return problem.problem.reason;
  return fmt::format("{}:{} (byte {}): {}", problem.path, problem.problem.line,
                     problem.problem.offset, problem.problem.reason);
}

json reportJson(const ImportReport& report) {
  json files = json::array(), problems = json::array(), others = json::array();
  for (const ImportSource& source : report.sources)
    files.push_back({{"file", source.path},
                     {"lines", source.lines},
                     {"records", source.records},
                     {"duplicates", source.duplicates},
                     {"comments", source.comments},
                     {"broken", source.broken},
                     {"finished", source.finished}});
  for (const FileProblem& problem : report.problems)
    problems.push_back({{"file", problem.path},
                        {"line", problem.problem.line},
                        {"offset", problem.problem.offset},
                        {"reason", problem.problem.reason}});
  for (const PassedOver& other : report.others)
    others.push_back({{"file", other.path}, {"reason", other.reason}});
  return {{"files", files},
          {"problems", problems},
          {"passed_over", others},
          {"already_imported", report.before},
          {"lines", report.lines},
          {"records", report.records},
          {"duplicates", report.duplicates},
          {"comments", report.comments},
          {"broken", report.broken},
          {"tasks", report.tasks},
          {"known_tasks", report.knownTasks},
          {"learned_tasks", report.learned},
          {"undefined_tasks", report.undefined},
          {"templates",
           {{"configurations", report.templates.configurations},
            {"agree", report.templates.agree},
            {"unknown", report.templates.unknown},
            {"disagreements", report.templates.disagreements}}},
          {"session", report.session},
          {"seconds", report.seconds},
          {"cancelled", report.cancelled}};
}

/// What earlier imports of the same logs could not read, so that it is not forgotten.
std::string brokenBefore(const ImportReport& report) {
  std::int64_t broken = -report.broken;
  for (const ImportSource& source : report.sources)
    broken += source.broken;
  return broken > 0 ? fmt::format(", {} of them broken", quantity(broken, "line")) : std::string();
}

/// A script has to be told that these were no logs.
void requireRecords(const ImportReport& report) {
  const bool any = std::ranges::any_of(report.sources, [](const ImportSource& source) {
    return source.records + source.duplicates > 0;
  });
  if (!any && !report.cancelled)
    throw InputError(report.sources.size() == 1 && report.others.empty()
                         ? fmt::format("no line of {} is a record", report.sources[0].path)
                         : "no line of these logs is a record");
}

void printReport(const ImportVerbOptions& options, const ImportReport& report) {
  std::size_t told = 0;
  for (const FileProblem& problem : report.problems)
    if (told++ < options.problems) cli::print(stderr, "{}\n", problemText(problem));
  if (report.problems.size() > options.problems)
    cli::print(stderr, "... and more; --problems N tells the first N, the file has them all\n");
  for (const PassedOver& other : report.others)
    cli::print(stderr, "{}: not imported: {}\n", other.path, other.reason);
  if (report.before > 0)
    cli::print("{} of {} had been imported before{}\n", report.before,
               quantity(std::int64_t(report.sources.size()), "log"), brokenBefore(report));
  cli::print("{} in {}: {} imported, {}, {}, {} broken\n", quantity(report.lines, "line"),
             formatDuration(report.seconds), quantity(report.records, "record"),
             quantity(report.duplicates, "duplicate"), quantity(report.comments, "comment"),
             report.broken);
  if (report.tasks > 0)
    cli::print("{}, {} of them with a known definition\n",
               quantity(std::int64_t(report.tasks), "task"), report.knownTasks);
  if (report.learned + report.undefined > 0)
    cli::print("{} of the file learned what they compute; {} still lack a definition\n",
               quantity(std::int64_t(report.learned), "task"), report.undefined);
  const TemplateCounts& templates = report.templates;
  if (templates.configurations > 0)
    cli::print("{} of templates, index and entities agree in {}\n",
               quantity(templates.configurations, "configuration"), templates.agree);
  if (templates.unknown > 0)
    cli::print("{} of templates that are not known\n",
               quantity(templates.unknown, "configuration"));
  for (const std::string& disagreement : templates.disagreements)
    cli::print(stderr, "{}\n", disagreement);
  if (report.cancelled)
    cli::print("stopped; what was read is stored, and the same import goes on from there\n");
}

bool isDocument(const std::string& file) {
  return std::filesystem::path(file).extension() == ".nwdb";
}

json mergeJson(const std::string& file, const MergeReport& report) {
  return {{"file", file},
          {"records", report.records},
          {"known", report.known},
          {"tasks", report.tasks},
          {"targets", report.targets},
          {"sessions", report.sessions},
          {"updated", report.updated},
          {"seconds", report.seconds},
          {"cancelled", report.cancelled}};
}

/// Tells once, also where no line rewrites itself, that the import waits, and for whom.
class WaitingNote {
 public:
  void tell(ProgressLine& line, const std::string& session) {
    if (!told_) {
      line.clear();
      cli::print(stderr,
                 "{}; the import begins when that has ended or paused, since what is timed beside "
                 "it would seem slow (Ctrl+C gives it up, --no-wait begins at once)\n",
                 session);
    }
    told_ = true;
  }

 private:
  bool told_ = false;
};

/// Record files of this program among the inputs: merged first, each by itself.
json mergeDocuments(ImportVerbOptions& options, WaitingNote& note, const std::atomic<bool>& stop) {
  json merged = json::array();
  std::vector<std::string>& inputs = options.import.inputs;
  for (const std::string& file : inputs) {
    if (!isDocument(file) || stop) continue;
    ProgressLine line;
    const MergeReport report = mergeDocument(
        options.import.database, file, stop,
        [&](const MergeProgress& p) {
          line.show(double(p.recordsDone), double(p.records),
                    fmt::format("{}: {} records", file, p.recordsDone));
        },
        [&](const std::string& session) {
          note.tell(line, session);
          line.show(0, 1, fmt::format("waiting, so that its timings stay true: {}", session));
        });
    line.clear();
    merged.push_back(mergeJson(file, report));
    if (options.json) continue;
    cli::print("{}: {} in {}, {} known before; {}, {}, {}\n", file,
               quantity(report.records, "record"), formatDuration(report.seconds), report.known,
               quantity(report.tasks, "new task"), quantity(report.targets, "new target"),
               quantity(report.sessions, "new session"));
    if (report.cancelled) cli::print("stopped; the same import goes on from there\n");
  }
  std::erase_if(inputs, isDocument);
  return merged;
}

void import(ImportVerbOptions& options) {
  std::atomic<bool> stop{false};
  PauseOnSignal signal; // before any thread
  signal.watch([&] { stop = true; });
  prepareForWriting(options.import.database, OpenMode::Create);
  WaitingNote note;
  const json merged = mergeDocuments(options, note, stop);
  if (options.import.inputs.empty() || stop) {
    if (options.json) printJson({{"merged", merged}});
    return;
  }
  ProgressLine line;
  const ImportReport report = importLogs(options.import, stop, [&](const ImportProgress& progress) {
    if (!progress.waitingFor.empty()) note.tell(line, progress.waitingFor);
    line.show(double(progress.bytesDone), double(progress.bytes), progressText(progress));
  });
  line.clear();
  if (const std::string remark = fileSystemNote(options.import.database); !remark.empty())
    cli::print(stderr, "{}\n", remark);
  if (options.json) {
    json result = reportJson(report);
    result["merged"] = merged;
    printJson(result);
  } else {
    printReport(options, report);
  }
  requireRecords(report);
}

} // namespace

void addImport(CLI::App& app) {
  auto options = std::make_shared<ImportVerbOptions>();
  CLI::App* verb = app.add_subcommand(
      "import",
      "Take in the logs of TVM's auto-scheduler, TenSet and AutoTVM, and other record files");
  verb->footer(
      "Logs are JSON lines, plain or packed with gzip, zstd or xz; of a folder all logs below it\n"
      "are taken, as TenSet lays them out: measure_records/PLATFORM/(TASK,KIND).json. A line that\n"
      "is no record is told with its reason and left out; a record that is there is not doubled.\n"
      "Ctrl+C stops, and the same command goes on where it was, also after a crash; a log that\n"
      "has grown is read from where it ended. The records make up a session of their own. An\n"
      "import waits while a session of the file is being tuned, and says so.\n\n"
      "  nestwright import tenset.nwdb dataset/measure_records\n"
      "  nestwright import old.nwdb tuning.json.gz --dag tuning.dag\n"
      "  nestwright import all.nwdb part1.nwdb part2.nwdb\n\n"
      "Record files (.nwdb) are merged: their sessions, tasks and targets stay what they are, "
      "what\n"
      "both files have is known again, and merging twice changes nothing.\n"
      "A program's loop nest can be shown where its task's definition (compute DAG) is known: "
      "that\n"
      "of an operator or network of Nestwright that has the same shapes and takes the program's\n"
      "steps, or one given with --dag.");
  verb->add_option("file", options->import.database, "Record file; made when it is not there")
      ->required();
  verb->add_option("logs", options->import.inputs,
                   "Logs, folders of logs, and other record files (.nwdb)")
      ->required();
  verb->add_option("--dag", options->import.dags,
                   "File that defines tasks: the text of a compute DAG as TVM prints it, or JSON "
                   "whose members have a workload_key and a compute_dag");
  verb->add_flag("--no-zoo", options->noZoo,
                 "Do not look for the tasks in the networks of Nestwright's zoo");
  verb->add_option("--threads", options->import.threads, "Threads that parse")
      ->check(between(1, 64))
      ->capture_default_str();
  verb->add_flag("--no-wait", options->noWait,
                 "Import logs at once, also while a session is being tuned in the file; what it "
                 "times meanwhile may seem slow");
  verb->add_option("--problems", options->problems, "Most problems to tell")
      ->check(between(0, 1000))
      ->capture_default_str();
  verb->add_flag("--json", options->json, "Print the result as one JSON document");
  verb->callback([options] {
    options->import.matchZoo = !options->noZoo;
    options->import.awaitSession = !options->noWait;
    import(*options);
  });
}

} // namespace nestwright::cli
