#include "app/cli/db/db.h"
#include "app/cli/output.h"
#include "app/cli/pause_on_signal.h"
#include "app/cli/prepare.h"
#include "core/record/care/merge_files.h"
#include "core/record/care/split_file.h"
#include "core/record/store/store.h"
#include "core/session/recombination/recombination.h"
#include "core/session/run/session_lock.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <filesystem>

namespace nestwright::cli {

namespace {

using nlohmann::json;

struct MergeVerbOptions {
  std::vector<std::string> files;
  std::string output;
  bool json = false;
};

struct SplitOptions {
  std::string file, by, filter, output;
  bool json = false;
};

json toJson(const MergeReport& report) {
  return {
      {"networks", report.networks}, {"targets", report.targets}, {"tasks", report.tasks},
      {"sessions", report.sessions}, {"records", report.records}, {"known", report.known},
      {"updated", report.updated},   {"seconds", report.seconds}, {"cancelled", report.cancelled}};
}

/// What merging asks of its caller: nobody tunes or imports into the file meanwhile.
void requireIdle(const std::string& path) {
  if (!std::filesystem::exists(path)) return;
  const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
  if (const auto running = runningSession(store))
    throw SystemError(
        fmt::format("{}: {}; let it end, or pause it, and merge then", path, *running));
}

void merge(const MergeVerbOptions& options) {
  std::atomic<bool> stop{false};
  PauseOnSignal signal; // before any thread
  signal.watch([&] { stop = true; });
  for (const std::string& file : options.files)
    if (!std::filesystem::exists(file))
      throw InputError(fmt::format("{}: there is no such file; nothing was merged", file));
  prepareForWriting(options.output, OpenMode::Create);
  requireIdle(options.output);
  const SessionLock alone(options.output, 0, SessionLock::What::Import);
  json files = json::array();
  for (const std::string& file : options.files) {
    ProgressLine line;
    const MergeReport report =
        mergeFile(options.output, file, stop, [&](const MergeProgress& progress) {
          line.show(double(progress.recordsDone), double(progress.records),
                    fmt::format("merging {}: {} records", file, progress.recordsDone));
        });
    line.clear();
    files.push_back(toJson(report));
    files.back()["file"] = file;
    if (!options.json && !report.cancelled)
      cli::print("{}: {}, {} known before; {}, {}\n", file, quantity(report.records, "new record"),
                 report.known, quantity(report.tasks, "new task"),
                 quantity(report.sessions, "new session"));
    if (!report.cancelled) continue;
    if (!options.json) cli::print("stopped; the same merge again goes on from here\n");
    break;
  }
  if (options.json) printJson({{"output", options.output}, {"files", files}});
}

SplitBy splitBy(const std::string& text) {
  return text == "session"   ? SplitBy::Session
         : text == "target"  ? SplitBy::Target
         : text == "network" ? SplitBy::Network
                             : SplitBy::Task;
}

struct PartFile {
  SplitPart part;
  std::string path;
};

std::vector<PartFile> partFiles(const SplitOptions& options) {
  const std::filesystem::path file(options.file);
  if (!options.filter.empty()) {
    SplitPart part{{}, options.filter, {{}}};
    part.queries[0].filter = parseRecordFilter(options.filter);
    return {{part, options.output}};
  }
  const std::filesystem::path folder =
      options.output.empty() ? file.parent_path() : std::filesystem::path(options.output);
  if (!folder.empty()) std::filesystem::create_directories(folder);
  std::vector<PartFile> files;
  const RecordStore store = RecordStore::open(options.file, OpenMode::ReadOnly);
  for (SplitPart& part : splitParts(store, splitBy(options.by))) {
    const std::string name = fmt::format("{}-{}.nwdb", file.stem().string(), part.suffix);
    files.push_back({std::move(part), (folder / name).string()});
  }
  return files;
}

void split(const SplitOptions& options) {
  if (options.by.empty() == options.filter.empty())
    throw UsageError("say either --by task, session, target or network, or --filter with --output");
  if (!options.filter.empty() && options.output.empty())
    throw UsageError("--filter needs --output with the name of the new file");
  std::atomic<bool> stop{false};
  PauseOnSignal signal; // before any thread
  signal.watch([&] { stop = true; });
  const std::vector<PartFile> parts = partFiles(options);
  for (const PartFile& part : parts)
    if (std::filesystem::exists(part.path))
      throw InputError(
          fmt::format("{} is there already; nothing was written. Move it away, or name "
                      "another place with --output",
                      part.path));
  json files = json::array();
  for (const PartFile& part : parts) {
    ProgressLine line;
    const MergeReport report =
        extractPart(options.file, part.path, part.part, stop, [&](const MergeProgress& progress) {
          line.show(double(progress.recordsDone), double(progress.records),
                    fmt::format("writing {}: {} records", part.path, progress.recordsDone));
        });
    line.clear();
    if (report.cancelled) {
      cli::print(stderr, "stopped; {} was not completed and is not there\n", part.path);
      break;
    }
    files.push_back({{"file", part.path},
                     {"part", part.part.description},
                     {"records", report.records},
                     {"tasks", report.tasks},
                     {"sessions", report.sessions}});
    if (!options.json)
      cli::print("{}: {}, {}\n", part.path, quantity(report.records, "record"),
                 part.part.description);
  }
  if (options.json) printJson({{"files", files}});
  if (!options.json && parts.empty()) cli::print("{} has no records\n", options.file);
}

} // namespace

void addDbMerge(CLI::App& db) {
  auto options = std::make_shared<MergeVerbOptions>();
  CLI::App* verb = db.add_subcommand("merge", "Bring several record files together in one");
  verb->footer(
      "What files share (networks, targets, tasks, sessions, equal records) is there once, so "
      "that\n"
      "neither the order of files nor merging twice changes what is in the result. Records stay\n"
      "with their session and their target. Stopped or killed, the same merge goes on where it\n"
      "was. The output may be a file with records; the others are only read.");
  verb->add_option("files", options->files, "Record files to take in")->required();
  verb->add_option("-o,--output", options->output, "File to merge into; made when it is not there")
      ->required();
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { merge(*options); });
}

void addDbSplit(CLI::App& db) {
  auto options = std::make_shared<SplitOptions>();
  CLI::App* verb = db.add_subcommand("split", "Write parts of a record file as files of their own");
  verb->footer(
      "  nestwright db split all.nwdb --by session --output parts\n"
      "  nestwright db split all.nwdb --filter \"task:conv2d error:none\" --output conv2d.nwdb\n\n"
      "The networks, targets, tasks and sessions of the records come along, and tags; a session's\n"
      "log, generations and cost model when all of its records do. What has no records stays\n"
      "behind. The file itself does not change.");
  verb->add_option("file", options->file, "Record file")->required();
  verb->add_option("--by", options->by, "A new file for each task, session, target or network")
      ->check(CLI::IsMember({"task", "session", "target", "network"}));
  verb->add_option("--filter", options->filter,
                   "Or one new file of what these words say, as in nestwright query");
  verb->add_option("-o,--output", options->output,
                   "Folder of the new files (otherwise that of the file), or the new file of "
                   "--filter");
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { split(*options); });
}

} // namespace nestwright::cli
