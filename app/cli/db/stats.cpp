#include "app/cli/db/db.h"
#include "app/cli/output.h"
#include "app/cli/pause_on_signal.h"
#include "core/record/care/file_statistics.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <atomic>

namespace nestwright::cli {

namespace {

using nlohmann::json;

struct StatsOptions {
  std::vector<std::string> files;
  bool quick = false;
  std::size_t rows = 20;
  bool json = false;
};

json countsJson(const std::vector<CountedRecords>& counts) {
  json list = json::array();
  for (const CountedRecords& count : counts)
    list.push_back({{"id", count.id},
                    {"name", count.name},
                    {"records", count.records},
                    {"forgotten", count.forgotten}});
  return list;
}

json toJson(const std::string& file, const FileStatistics& statistics) {
  json parts = json::array(), verdicts = json::object();
  for (const StoredPart& part : statistics.parts)
    parts.push_back({{"name", part.name},
                     {"table", part.table},
                     {"index", part.isIndex},
                     {"bytes", part.bytes},
                     {"unused", part.unused}});
  for (const VerdictCount& count : statistics.verdicts)
    verdicts[name(count.verdict)] = count.records;
  return {{"file", file},
          {"version", statistics.version},
          {"bytes", statistics.fileBytes},
          {"log_bytes", statistics.logBytes},
          {"free_bytes", statistics.freeBytes},
          {"records", statistics.records},
          {"forgotten", statistics.forgotten},
          {"bytes_per_record", statistics.bytesPerRecord()},
          {"events", statistics.events},
          {"shapes", statistics.shapes},
          {"blocks", statistics.blocks},
          {"tables", parts},
          {"sessions", countsJson(statistics.sessions)},
          {"tasks", countsJson(statistics.tasks)},
          {"targets", countsJson(statistics.targets)},
          {"verdicts", verdicts},
          {"open_in", statistics.holders},
          {"note", statistics.note}};
}

std::string share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100.0 * double(part) / double(whole)) : "";
}

void printParts(const FileStatistics& statistics, std::size_t most) {
  std::vector<std::vector<std::string>> rows;
  for (const StoredPart& part : statistics.parts) {
    if (rows.size() >= most) break;
    rows.push_back(
        {part.isIndex ? fmt::format("{} (index of {})", part.name, part.table) : part.name,
         formatBytes(double(part.bytes)), share(part.bytes, statistics.fileBytes),
         statistics.records > 0
             ? fmt::format("{:.1f}", double(part.bytes) / double(statistics.records))
             : "",
         share(part.unused, part.bytes)});
  }
  const std::size_t hidden = statistics.parts.size() - rows.size();
  if (statistics.freeBytes > 0)
    rows.push_back({"free pages", formatBytes(double(statistics.freeBytes)),
                    share(statistics.freeBytes, statistics.fileBytes), "", ""});
  cli::print("\n");
  printTable({"table", "size", "share", "bytes per record", "unused within"}, rows, {1, 2, 3, 4});
  if (hidden > 0)
    cli::print("... and {}; --rows N shows the first N\n",
               quantity(std::int64_t(hidden), "smaller one"));
}

void printCounts(const char* what, const std::vector<CountedRecords>& counts, std::size_t most) {
  std::vector<std::vector<std::string>> rows;
  for (const CountedRecords& count : counts) {
    if (rows.size() >= most) break;
    rows.push_back({fmt::format("{}", count.id), count.name, fmt::format("{}", count.records),
                    count.forgotten > 0 ? fmt::format("{}", count.forgotten) : ""});
  }
  if (rows.empty()) return;
  cli::print("\n");
  printTable({what, "name", "records", "forgotten"}, rows, {0, 2, 3});
  if (counts.size() > rows.size())
    cli::print("... and {} more; --rows N shows the first N\n", counts.size() - rows.size());
}

void print(const std::string& file, const FileStatistics& statistics, std::size_t rows) {
  cli::print("{}: version {}, {}{}\n", file, statistics.version,
             formatBytes(double(statistics.fileBytes)),
             statistics.logBytes > 0
                 ? fmt::format(" and a log of {}", formatBytes(double(statistics.logBytes)))
                 : "");
  cli::print("{}{}, {:.1f} bytes each with all that belongs to them\n",
             quantity(statistics.records, "record"),
             statistics.forgotten > 0 ? fmt::format(", {} of them forgotten", statistics.forgotten)
                                      : "",
             statistics.bytesPerRecord());
  cli::print("{}, {} of programs, {} of imported records\n", quantity(statistics.events, "event"),
             quantity(statistics.shapes, "shape"), quantity(statistics.blocks, "block"));
  if (!statistics.holders.empty()) cli::print("open in {}\n", statistics.holders);
  if (!statistics.note.empty()) cli::print("{}\n", statistics.note);
  if (!statistics.parts.empty()) printParts(statistics, rows);
  printCounts("target", statistics.targets, rows);
  printCounts("session", statistics.sessions, rows);
  printCounts("task", statistics.tasks, rows);
  std::vector<std::vector<std::string>> verdicts;
  for (const VerdictCount& count : statistics.verdicts)
    verdicts.push_back({name(count.verdict), fmt::format("{}", count.records)});
  if (verdicts.empty()) return;
  cli::print("\n");
  printTable({"verdict", "records"}, verdicts, {1});
}

void stats(const StatsOptions& options) {
  std::atomic<bool> stop{false};
  PauseOnSignal signal; // before any thread
  signal.watch([&] { stop = true; });
  json files = json::array();
  for (const std::string& file : options.files) {
    const FileStatistics statistics = fileStatistics(file, !options.quick, [&] { return !stop; });
    if (options.json)
      files.push_back(toJson(file, statistics));
    else
      print(file, statistics, options.rows);
  }
  if (options.json) printJson({{"files", files}});
}

} // namespace

void addDbStats(CLI::App& db) {
  auto options = std::make_shared<StatsOptions>();
  CLI::App* verb = db.add_subcommand("stats", "Tell what files hold and where their bytes are");
  verb->footer("Sizes of tables and indexes need a look at every page: seconds for a gigabyte.\n"
               "Others may go on writing meanwhile.");
  verb->add_option("files", options->files, "Record files")->required();
  verb->add_flag("--quick", options->quick, "Leave out the sizes of tables and indexes");
  verb->add_option("--rows", options->rows, "Most tables, sessions, tasks and targets to list")
      ->capture_default_str();
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { stats(*options); });
}

} // namespace nestwright::cli
