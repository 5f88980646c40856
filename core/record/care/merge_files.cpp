#include "core/record/care/merge_files.h"

#include "core/record/care/merge_notes.h"
#include "core/record/care/merge_records.h"
#include "core/record/care/merge_rows.h"
#include "core/record/file/database_file.h"
#include "core/record/format/columns.h"
#include "core/record/intake/import_tables.h"
#include "core/record/rows/session_status.h"
#include "core/support/clock.h"
#include "core/support/error.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

namespace nestwright {

namespace {

using sqlite::Database;
using sqlite::Statement;
using Clock = std::chrono::steady_clock;

/// A transaction takes in so many records, or as many as fit into its time: other writers of the
/// file wait for it.
constexpr std::int64_t kRecordsPerPart = 20'000, kRecordsBetween = 1000;
constexpr double kSecondsPerPart = 0.4;

class Merge {
 public:
  Merge(const std::string& into, Database from, const std::atomic<bool>& stop,
        const std::function<void(const MergeProgress&)>& onProgress)
      : stop_(stop), onProgress_(onProgress), from_(std::move(from)),
        into_(openDatabaseFile(into, OpenMode::Create)), moment_(from_) {
    // NORMAL: a power cut may take the last parts, and the last one of all is written with FULL.
    into_.execute("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 16384; "
                  "PRAGMA cache_size = -131072");
  }

  MergeReport run() {
    progress_.records = from_.integer("SELECT ifnull(sum(records), 0) FROM tally");
    part([&] { placeAll(); });
    takeRecords();
    takeEvents();
    if (!stop_) {
      into_.execute("PRAGMA synchronous = FULL");
      part([&] { finish(); });
    }
    report_.cancelled = !finished_;
    report_.seconds = secondsSince(start_);
    return report_;
  }

 private:
  /// One transaction, in which tables may be filled in any order.
  void part(const std::function<void()>& body) {
    into_.transaction([&] {
      into_.execute("PRAGMA defer_foreign_keys = ON");
      body();
    });
  }

  template <std::size_t size>
  std::vector<PlacedRow> place(const char* table, const std::array<const char*, size>& identity,
                               std::int64_t* added = nullptr) {
    std::vector<PlacedRow> rows = placeRows(files_, table, identity);
    taken_.insert(table);
    for (const PlacedRow& row : rows)
      if (row.isNew && added != nullptr) ++*added;
    return rows;
  }

  /// Everything that records belong to, so that the file is sound after each part of them.
  void placeAll() {
    place<2>("network", {"name", "spec"}, &report_.networks);
    place<1>("target", {"key"}, &report_.targets);
    for (const PlacedRow& task : place<2>("task", {"key", "target"}, &report_.tasks))
      settleTask(task);
    place<2>("network_task", {"network", "task"});
    sessions_ = place<2>("session", {"created_at", "title"}, &report_.sessions);
    for (const PlacedRow& session : sessions_)
      if (session.isNew) beginSession(session);
    takeSessionTasks();
    copyRows(files_, "session_network");
    copyRows(files_, "session_weight");
    place<1>("tag", {"name"});
    place<1>("event_kind", {"name"});
    sources_ = place<4>("import_source", {"session", "path", "head_bytes", "head_hash"});
    for (const PlacedRow& source : sources_)
      if (source.isNew)
        into_
            .prepare("UPDATE import_source SET offset = 0, file_bytes = 0, lines = 0, records = 0, "
                     "duplicates = 0, comments = 0, broken = 0, finished = 0 WHERE id = ?")
            .bind(source.into)
            .run();
  }

  /// Checks a task against those of the file, and fills in what one of the files does not know.
  void settleTask(const PlacedRow& placed) {
    Statement theirs = from_.prepare("SELECT key, key_hash, dag, name, flops, naive_seconds FROM "
                                     "task JOIN task_summary ON task = id WHERE id = ?");
    if (!theirs.bind(placed.from).step())
      throw InputError(fmt::format("{}: the file is damaged: task {} has no summary", from_.path(),
                                   placed.from));
    Statement same = into_.prepare("SELECT key, dag FROM task WHERE key_hash = ?");
    same.bind(theirs.text(1));
    while (same.step())
      if (!same.view(1).empty() && !theirs.view(2).empty() && same.view(1) != theirs.view(2))
        throw InputError(fmt::format("{}: the task '{}' has the hash of the task '{}' of {} and "
                                     "another definition, so their "
                                     "records must not be mixed; merge into another file",
                                     from_.path(), theirs.view(0), same.view(0), into_.path()));
    if (placed.isNew)
      into_.prepare("INSERT INTO task_summary (task) VALUES (?)").bind(placed.into).run();
    else if (!theirs.view(2).empty())
      into_.prepare("UPDATE task SET dag = ?, name = ?, flops = ? WHERE id = ? AND dag = ''")
          .bind(theirs.text(2), theirs.text(3), theirs.real(4), placed.into)
          .run();
    into_.prepare("UPDATE task_summary SET naive_seconds = ? WHERE task = ? AND naive_seconds = 0")
        .bind(theirs.real(5), placed.into)
        .run();
  }

  /// A session as it is until all of it is here: one that has not begun, older than any other, and
  /// whose settings name no record.
  void beginSession(const PlacedRow& session) {
    Statement row = from_.prepare("SELECT config FROM session WHERE id = ?");
    row.bind(session.from).step();
    into_
        .prepare("UPDATE session SET status = ?, config = ?, scheduler_state = '', updated_at = 0 "
                 "WHERE id = ?")
        .bind(name(SessionStatus::Paused), renumbered(files_, row.view(0)), session.into)
        .run();
  }

  /// Each task once, those that the session has here first.
  void takeSessionTasks() {
    taken_.insert("session_task");
    Statement rows =
        from_.prepare("SELECT session, task FROM session_task ORDER BY session, position");
    while (rows.step())
      importSessionTask(into_, files_.rows["session"].find(rows.integer(0)),
                        files_.rows["task"].find(rows.integer(1)));
  }

  void takeRecords() {
    std::set<RowId> met;
    for (const PlacedRow& session : sessions_)
      if (!session.isNew) met.insert(session.into);
    RecordMerge records(files_, std::move(met), report_);
    for (bool more = true; more && !stop_;) {
      part([&] {
        const Clock::time_point begin = Clock::now();
        for (std::int64_t taken = 0;
             more && !stop_ && taken < kRecordsPerPart && secondsSince(begin) < kSecondsPerPart;
             taken += kRecordsBetween)
          more = records.takeSome(kRecordsBetween);
      });
      progress_.recordsDone = records.done();
      tellProgress();
    }
  }

  /// Events tell of records, so they come after them. Those of a session that both files have are
  /// known by when they were told.
  void takeEvents() {
    const std::vector<MergedColumn> columns = mergedColumns(files_, "event");
    const bool same = files_.rows["record"].isIdentity() && files_.rows["task"].isIdentity();
    for (const PlacedRow& session : sessions_) {
      std::map<std::pair<std::int64_t, RowId>, std::int64_t> there = toldEvents(session);
      Statement rows = from_.prepare(fmt::format(
          "SELECT at, kind, {} FROM event WHERE session = ? ORDER BY id", columnList(columns)));
      rows.bind(session.from);
      for (bool more = true; more && !stop_;)
        part([&] {
          for (std::int64_t left = kRecordsPerPart; left > 0 && (more = rows.step()); --left) {
            const RowId kind = files_.rows["event_kind"].find(rows.integer(1));
            if (const auto told = there.find({rows.integer(0), kind});
                told != there.end() && told->second-- > 0)
              continue;
            addEvent(columns, rows, same);
          }
        });
    }
  }

  std::map<std::pair<std::int64_t, RowId>, std::int64_t> toldEvents(const PlacedRow& session) {
    std::map<std::pair<std::int64_t, RowId>, std::int64_t> told;
    if (session.isNew) return told;
    Statement rows =
        into_.prepare("SELECT at, kind FROM event INDEXED BY event_by_session WHERE session = ?");
    rows.bind(session.into);
    while (rows.step())
      ++told[{rows.integer(0), rows.integer(1)}];
    return told;
  }

  void addEvent(const std::vector<MergedColumn>& columns, const Statement& row, bool same) {
    if (addEvent_.empty()) {
      std::string marks;
      for (std::size_t i = 0; i < columns.size(); ++i)
        marks += i == 0 ? "?" : ", ?";
      addEvent_ = fmt::format("INSERT INTO event ({}) VALUES ({})", columnList(columns), marks);
    }
    Statement insert = into_.prepare(addEvent_);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const int place = int(i) + 2;
      if (columns[i].name == "json" && !same)
        bindPacked(insert, int(i) + 1, renumbered(files_, readPacked(row, place)));
      else
        bindMerged(files_, insert, int(i) + 1, columns[i], row, place);
    }
    insert.run();
  }

  /// What names records, and where sessions and logs stand now.
  void finish() {
    for (const PlacedRow& session : sessions_)
      finishSession(session);
    for (const PlacedRow& source : sources_)
      finishSource(source);
    finishRecombinations();
    finishChoices();
    mergeNotes(files_);
    // Their rows came with the records, or are made here.
    for (const char* table : {"record", "shape", "trace", "record_block", "tally", "task_summary",
                              "event", "session_network", "session_weight", "kept", "generation"})
      taken_.insert(table);
    for (const std::string& table : tablesOf(into_))
      if (!taken_.contains(table)) copyRows(files_, table);
    finished_ = true;
  }

  void finishSession(const PlacedRow& session) {
    Statement row = from_.prepare("SELECT updated_at, status, config, wall_seconds, "
                                  "scheduler_state, product FROM session WHERE id = ?");
    if (!row.bind(session.from).step()) return;
    Statement older = into_.prepare("SELECT 1 FROM session WHERE id = ? AND updated_at < ?");
    // A new one has no state yet, whatever its time says.
    if (!older.bind(session.into, row.integer(0)).step() && !session.isNew) return;
    const bool running = row.view(1) == name(SessionStatus::Running);
    into_
        .prepare("UPDATE session SET updated_at = ?, status = ?, config = ?, wall_seconds = ?, "
                 "scheduler_state = ?, product = ? WHERE id = ?")
        .bind(row.integer(0), running ? std::string(name(SessionStatus::Paused)) : row.text(1),
              renumbered(files_, row.view(2)), row.real(3),
              row.view(4).empty() ? std::string() : renumbered(files_, row.view(4)), row.text(5),
              session.into)
        .run();
    into_.prepare("DELETE FROM model WHERE session = ?").bind(session.into).run(); // of that state
  }

  void finishSource(const PlacedRow& source) {
    Statement row = from_.prepare("SELECT offset, file_bytes, lines, comments, broken, finished "
                                  "FROM import_source WHERE id = ?");
    if (!row.bind(source.from).step()) return;
    Statement older =
        into_.prepare("SELECT records FROM import_source WHERE id = ? AND offset < ?");
    if (!older.bind(source.into, row.integer(0)).step()) return;
    const std::int64_t records = older.integer(0);
    const std::int64_t lines = row.integer(2), others = row.integer(3) + row.integer(4);
    into_
        .prepare("UPDATE import_source SET offset = ?, file_bytes = ?, lines = ?, comments = ?, "
                 "broken = ?, finished = ?, duplicates = ? WHERE id = ?")
        .bind(row.integer(0), row.integer(1), lines, row.integer(3), row.integer(4), row.integer(5),
              lines - others - records, source.into)
        .run();
  }

  void finishRecombinations() {
    for (const PlacedRow& placed : place<3>("recombination", {"network", "target", "created_at"})) {
      Statement row = from_.prepare("SELECT updated_at, config, state, status, wall_seconds FROM "
                                    "recombination WHERE id = ?");
      row.bind(placed.from).step();
      const bool running = row.view(3) == name(SessionStatus::Running);
      into_
          .prepare(
              "UPDATE recombination SET updated_at = ?1, config = ?2, state = ?3, status = ?4, "
              "wall_seconds = ?5 WHERE id = ?6 AND (updated_at < ?1 OR ?7)")
          .bind(row.integer(0), row.text(1), renumbered(files_, row.view(2)),
                running ? std::string(name(SessionStatus::Paused)) : row.text(3), row.real(4),
                placed.into, placed.isNew ? 1 : 0)
          .run();
    }
  }

  /// A network's choice of programs is that of the file where it was made last.
  void finishChoices() {
    for (const char* table : {"network_choice", "network_choice_task"})
      taken_.insert(table);
    if (mergedColumns(files_, "network_choice").empty()) return;
    Statement rows = from_.prepare("SELECT network, target, kept_at, recombination, gain FROM "
                                   "network_choice ORDER BY network, target");
    while (rows.step()) {
      const RowId network = files_.rows["network"].find(rows.integer(0));
      const RowId target = files_.rows["target"].find(rows.integer(1));
      Statement newer = into_.prepare(
          "SELECT 1 FROM network_choice WHERE network = ? AND target = ? AND kept_at >= ?");
      if (newer.bind(network, target, rows.integer(2)).step()) continue;
      for (const char* sql : {"DELETE FROM network_choice_task WHERE network = ? AND target = ?",
                              "DELETE FROM network_choice WHERE network = ? AND target = ?"})
        into_.prepare(sql).bind(network, target).run();
      into_
          .prepare("INSERT INTO network_choice (network, target, recombination, kept_at, gain) "
                   "VALUES (?, ?, ?, ?, ?)")
          .bind(network, target, files_.rows["recombination"].find(rows.integer(3)),
                rows.integer(2), rows.real(4))
          .run();
      takeChosen(rows.integer(0), rows.integer(1), network, target);
    }
  }

  void takeChosen(RowId network, RowId target, RowId networkInto, RowId targetInto) {
    Statement rows = from_.prepare(
        "SELECT task, record FROM network_choice_task WHERE network = ? AND target = ?");
    rows.bind(network, target);
    while (rows.step())
      into_
          .prepare("INSERT INTO network_choice_task (network, target, task, record) "
                   "VALUES (?, ?, ?, ?)")
          .bind(networkInto, targetInto, files_.rows["task"].find(rows.integer(0)),
                files_.rows["record"].find(rows.integer(1)))
          .run();
  }

  void tellProgress() {
    if (!onProgress_) return;
    progress_.seconds = secondsSince(start_);
    onProgress_(progress_);
  }

  const std::atomic<bool>& stop_;
  const std::function<void(const MergeProgress&)>& onProgress_;
  Database from_, into_;
  sqlite::Snapshot moment_; // of the file that is taken in, which may go on growing
  MergeFiles files_{from_, into_, {{"record", {}}}}; // none has its place yet
  std::vector<PlacedRow> sessions_, sources_;
  std::set<std::string> taken_; // tables
  std::string addEvent_;
  MergeReport report_;
  MergeProgress progress_;
  Clock::time_point start_ = Clock::now();
  bool finished_ = false;
};

} // namespace

MergeReport mergeFile(const std::string& into, const std::string& from,
                      const std::atomic<bool>& stop,
                      const std::function<void(const MergeProgress&)>& onProgress) {
  std::error_code none;
  if (std::filesystem::equivalent(into, from, none))
    throw InputError(
        fmt::format("{} and {} are the same file; there is nothing to merge", into, from));
  return mergeDatabase(into, openDatabaseFile(from, OpenMode::ReadOnly), stop, onProgress);
}

MergeReport mergeDatabase(const std::string& into, Database from, const std::atomic<bool>& stop,
                          const std::function<void(const MergeProgress&)>& onProgress) {
  return Merge(into, std::move(from), stop, onProgress).run();
}

} // namespace nestwright
