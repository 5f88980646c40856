#include "app/cli/db/db.h"

#include "app/cli/output.h"
#include "app/cli/pause_on_signal.h"
#include "app/cli/prepare.h"
#include "app/cli/verbs.h"
#include "core/record/care/compact_file.h"
#include "core/record/care/program_check.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>

namespace nestwright::cli {

namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

struct CheckOptions {
  std::vector<std::string> files;
  bool quick = false, json = false;
};

struct CompactVerbOptions {
  std::vector<std::string> files;
  CompactOptions compact;
  bool json = false;
};

struct Checked {
  std::string file;
  std::vector<std::string> problems;
  std::int64_t records = 0, replayed = 0;
  double seconds = 0;
};

/// Adds what the programs' replay finds.
void replayPrograms(const RecordStore& store, const std::atomic<bool>& stop, Checked& checked) {
  ProgressLine line;
  const ProgramCheck programs = checkPrograms(store, [&](double done) {
    line.show(done, 1, fmt::format("replaying the programs of {}", store.path()));
    return !stop;
  });
  line.clear();
  checked.replayed = programs.replayed;
  checked.problems.insert(checked.problems.end(), programs.problems.begin(),
                          programs.problems.end());
}

std::vector<std::string> checkPages(const RecordStore& store, bool quick) {
  ProgressLine line;
  line.show(0, 1, fmt::format("reading the pages of {}", store.path()));
  std::vector<std::string> problems =
      store.check({quick, [&](double done) {
                     line.show(done, 1, fmt::format("reading the records of {}", store.path()));
                   }});
  line.clear();
  return problems;
}

Checked checkFile(const std::string& file, bool quick, const std::atomic<bool>& stop) {
  Checked checked;
  checked.file = file;
  const Clock::time_point start = Clock::now();
  try {
    const RecordStore store = RecordStore::open(file, OpenMode::ReadOnly);
    checked.records = store.records().total();
    store.interruptible([&] { return !stop; },
                        [&] {
                          checked.problems = checkPages(store, quick);
                          if (!quick) replayPrograms(store, stop, checked);
                        });
  } catch (const InputError& error) {
    checked.problems.push_back(error.what()); // one that cannot even be opened
  }
  checked.seconds = secondsSince(start);
  return checked;
}

void printChecked(const Checked& checked) {
  if (checked.problems.empty()) {
    cli::print("{}: sound; {} in {}{}\n", checked.file, quantity(checked.records, "record"),
               formatDuration(checked.seconds),
               checked.replayed > 0 ? fmt::format(", {} replayed", checked.replayed) : "");
    return;
  }
  const std::size_t count = checked.problems.size();
  cli::print("{}: {}{}\n", checked.file, count >= kMostProblems ? "at least " : "",
             quantity(std::int64_t(count), "problem"));
  for (const std::string& problem : checked.problems)
    cli::print("  {}\n", problem);
}

void check(const CheckOptions& options) {
  std::atomic<bool> stop{false};
  PauseOnSignal signal; // before any thread
  signal.watch([&] { stop = true; });
  json files = json::array();
  std::size_t unsound = 0;
  for (const std::string& file : options.files) {
    const Checked checked = checkFile(file, options.quick, stop);
    unsound += checked.problems.empty() ? 0 : 1;
    if (!options.json) printChecked(checked);
    files.push_back({{"file", file},
                     {"sound", checked.problems.empty()},
                     {"problems", checked.problems},
                     {"records", checked.records},
                     {"replayed", checked.replayed},
                     {"seconds", checked.seconds}});
  }
  if (options.json) printJson({{"files", files}, {"sound", unsound == 0}});
  if (unsound > 0)
    throw InputError(fmt::format("{} of {} {} not sound", unsound,
                                 quantity(std::ssize(options.files), "file"),
                                 unsound == 1 ? "is" : "are"));
}

void compact(const CompactVerbOptions& options) {
  std::atomic<bool> stop{false};
  PauseOnSignal signal; // before any thread
  signal.watch([&] { stop = true; });
  json files = json::array();
  for (const std::string& file : options.files) {
    prepareForWriting(file);
    ProgressLine line;
    const CompactReport report = compactFile(file, options.compact, [&](double done) {
      line.show(done, 1, fmt::format("compacting {}", file));
      return !stop;
    });
    line.clear();
    files.push_back({{"file", file},
                     {"bytes_before", report.bytesBefore},
                     {"bytes_after", report.bytesAfter},
                     {"version_before", report.versionBefore},
                     {"version_after", report.versionAfter},
                     {"cancelled", report.cancelled}});
    if (options.json) continue;
    if (report.cancelled) {
      cli::print("{}: stopped; the file is as it was\n", file);
      break;
    }
    cli::print(
        "{}: {} before, {} now{}\n", file, formatBytes(double(report.bytesBefore)),
        formatBytes(double(report.bytesAfter)),
        report.versionBefore == report.versionAfter
            ? ""
            : fmt::format(", version {} instead of {}", report.versionAfter, report.versionBefore));
  }
  if (options.json) printJson({{"files", files}});
}

} // namespace

void addDbCheck(CLI::App& db) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* verb =
      db.add_subcommand("check", "Tell whether files are sound, and what to do if not");
  verb->footer(
      "Reads everything: the pages and indexes as SQLite sees them, what rows say of one another,\n"
      "every record with its program and results, the sums that are kept over the records, the\n"
      "blocks of imported records, and the sessions' logs. The steps of every record that was\n"
      "measured here are replayed, and compared with the identity of the program that was "
      "measured\n"
      "(--quick leaves that out, and looks at some records only). Others may go on writing\n"
      "meanwhile; the files and their logs stay as they are. The exit code is 1 when a file is\n"
      "not sound.");
  verb->add_option("files", options->files, "Record files")->required();
  verb->add_flag(
      "--quick", options->quick,
      "Look at what is small, at the sums, and at some records: seconds whatever the file's "
      "size, and no proof");
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { check(*options); });
}

void addDbCompact(CLI::App& db) {
  auto options = std::make_shared<CompactVerbOptions>();
  CLI::App* verb = db.add_subcommand(
      "compact", "Write files anew: smaller after much was deleted, and orderly for quick reading");
  verb->footer(
      "Works the write-ahead log into the file, writes it under another name, compares, and puts\n"
      "it in place of the old one, so that a crash or Ctrl+C leaves the file as it was. Nobody "
      "may\n"
      "have the file open meanwhile (the message names who has), and there must be room for a\n"
      "second one beside it.");
  verb->add_option("files", options->files, "Record files")->required();
  verb->add_flag("--rebuild", options->compact.rebuildSums,
                 "Also make the sums over the records anew (trials, errors, bests), which `db "
                 "check` found to be wrong");
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { compact(*options); });
}

void addDb(CLI::App& app) {
  CLI::App* db =
      app.add_subcommand("db", "Check, compact, merge, split, salvage and measure record files");
  db->require_subcommand(1);
  db->footer(
      "  nestwright db check tuned.nwdb\n"
      "  nestwright db stats tuned.nwdb\n"
      "  nestwright db merge --output all.nwdb machine1.nwdb machine2.nwdb\n"
      "  nestwright db split all.nwdb --by target\n"
      "  nestwright db salvage damaged.nwdb --output saved.nwdb\n\n"
      "Any number of programs may read a file while one writes; sessions and imports take\n"
      "turns in writing. On a network file system (NFS, SMB, sshfs) storing is slower and\n"
      "only one computer should use the file at a time; NESTWRIGHT_JOURNAL=wal or =rollback\n"
      "in the environment overrides what is found out about the file system.");
  addDbCheck(*db);
  addDbStats(*db);
  addDbCompact(*db);
  addDbMerge(*db);
  addDbSplit(*db);
  addDbSalvage(*db);
}

} // namespace nestwright::cli
