#include "core/record/care/salvage_file.h"

#include "core/record/care/damaged_rows.h"
#include "core/record/care/merge_rows.h"
#include "core/record/care/rebuild_sums.h"
#include "core/record/file/database_file.h"
#include "core/record/file/file_system.h"
#include "core/record/file/generation_keeper.h"
#include "core/record/file/schema.h"
#include "core/record/format/columns.h"
#include "core/record/format/stored_block.h"
#include "core/record/select/record_cells.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/stored_records.h"
#include "core/support/draft_file.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/support/infinity.h"
#include "core/support/quantity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace nestwright {

namespace {

using sqlite::Access;
using sqlite::Database;
using sqlite::Statement;

/// Losses of a kind that are told one by one.
constexpr std::size_t kMostTold = 20;
constexpr std::int64_t kRowsBetweenProgress = 4096;

bool hasBytes(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && status.st_size > 0;
}

/// A connection that goes on where one of SQLite's own checks would give up.
Database openDamaged(const std::string& path) {
  if (!hasBytes(path)) throw InputError(fmt::format("{}: is no file with anything in it", path));
  const std::string real = realPath(path);
  const bool ownLog = hasBytes(real + "-wal") && !hasForeignLog(path);
  Database db(path, ownLog ? Access::Read : Access::Frozen);
  // A file that was cut off is shorter than it says, and of a damaged schema the rest may do.
  sqlite3_db_config(db.handle(), SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
  try {
    db.execute("PRAGMA writable_schema = ON; PRAGMA cell_size_check = ON; PRAGMA query_only = ON");
    if (db.integer("PRAGMA application_id") == kApplicationId) return db;
  } catch (const InputError&) {
    throw InputError(fmt::format("{}: its beginning, which says where everything is, cannot be "
                                 "read, so nothing can be salvaged; restore a backup",
                                 path));
  }
  throw InputError(fmt::format("{}: is not a Nestwright database", path));
}

/// A column that names rows of another table.
struct Reference {
  std::string child, parent;
  std::vector<std::string> columns, named; // of the child, and of the parent
  bool optional = false;                   // it may be NULL
};

std::vector<std::string> keyOf(Database& db, const std::string& table) {
  std::vector<std::string> key;
  Statement rows = db.prepare("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk");
  rows.bind(table);
  while (rows.step())
    key.push_back(rows.text(0));
  return key;
}

std::vector<Reference> referencesOf(Database& db, const std::string& table) {
  std::map<std::int64_t, Reference> found;
  Statement rows = db.prepare("SELECT list.id, list.\"table\", list.\"from\", info.\"notnull\", "
                              "info.pk FROM pragma_foreign_key_list(?1) AS list "
                              "JOIN pragma_table_info(?1) AS info ON info.name = list.\"from\" "
                              "ORDER BY list.id, list.seq");
  rows.bind(table);
  while (rows.step()) {
    Reference& reference = found[rows.integer(0)];
    reference.child = table, reference.parent = rows.text(1);
    reference.columns.push_back(rows.text(2));
    reference.optional = rows.integer(3) == 0 && rows.integer(4) == 0;
    reference.named = keyOf(db, reference.parent);
  }
  std::vector<Reference> references;
  for (auto& [id, reference] : found)
    references.push_back(std::move(reference));
  return references;
}

class Salvage {
 public:
  Salvage(const std::string& damaged, const std::string& into, const std::string& lostConfig,
          const std::atomic<bool>& stop,
          const std::function<void(const SalvageProgress&)>& onProgress)
      : lostConfig_(lostConfig), stop_(stop), onProgress_(onProgress), from_(openDamaged(damaged)),
        draft_(into, "salvage") {}

  SalvageReport run() {
    fillNewFile(draft_.path());
    std::int64_t told = 0;
    {
      // Nothing needs to be undone: it takes its place when it is whole.
      Database into(draft_.path(), Access::ReadWrite);
      StoredRecords stored(into);
      into.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; "
                   "PRAGMA foreign_keys = OFF; PRAGMA cache_size = -131072");
      into.transaction([&] { copyTables(into); });
      if (report_.cancelled) return report_;
      told = into.integer("SELECT sum(records) FROM tally");
      into.transaction([&] { mend(into, stored); });
    }
    if (!finish(told)) return report_;
    draft_.takePlace(false);
    return report_;
  }

 private:
  // --- reading

  void copyTables(Database& into) {
    // Made again behind the rows, which is quicker.
    std::vector<std::string> indexes;
    for (const auto& [name, sql] : plainIndexes(into)) {
      into.execute("DROP INDEX " + name);
      indexes.push_back(sql);
    }
    progress_.records = expectedRecords();
    for (const std::string& table : tablesOf(into)) {
      if (table == "generation") continue; // the new file's own
      progress_.doing = "reading " + table;
      copyTable(into, table);
      if (report_.cancelled) return;
    }
    progress_.doing = "making indexes";
    tell();
    for (const std::string& sql : indexes)
      into.execute(sql);
  }

  static std::vector<std::pair<std::string, std::string>> plainIndexes(Database& db) {
    std::vector<std::pair<std::string, std::string>> indexes;
    Statement rows = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND "
                                "sql LIKE 'CREATE INDEX%'");
    while (rows.step())
      indexes.emplace_back(rows.text(0), rows.text(1));
    return indexes;
  }

  std::optional<std::int64_t> expectedRecords() {
    try {
      return from_.integer("SELECT sum(records) FROM tally");
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  void copyTable(Database& into, const std::string& table) {
    WantedRows wanted{table, {}, {}};
    Statement columns = into.prepare("SELECT name FROM pragma_table_info(?)");
    columns.bind(table);
    std::string marks;
    while (columns.step()) {
      wanted.columns.push_back(columns.text(0));
      marks += marks.empty() ? "?" : ", ?";
    }
    columns.reset();
    Statement kind = into.prepare("SELECT 1 FROM sqlite_schema WHERE name = ? AND "
                                  "instr(sql, 'WITHOUT ROWID') > 0");
    if (kind.bind(table).step()) wanted.key = keyOf(into, table);
    const std::string add = fmt::format("INSERT OR IGNORE INTO {} ({}) VALUES ({})", table,
                                        fmt::join(wanted.columns, ", "), marks);
    std::int64_t misfits = 0;
    const auto gaps = readAroundDamage(from_, wanted, [&](const Statement& row) {
      try {
        Statement insert = into.prepare(add);
        for (std::size_t i = 0; i < wanted.columns.size(); ++i)
          insert.bindColumn(int(i) + 1, row, int(i) + 1);
        insert.run();
      } catch (const InputError&) {
        ++misfits; // a value of another kind than its column's, of which nothing can be made
      }
      if (++progress_.rows % kRowsBetweenProgress == 0) tell();
      report_.cancelled = stop_;
      return !report_.cancelled;
    });
    tellGaps(table, gaps);
    if (misfits > 0)
      lose(fmt::format("{}: {} hold what cannot be", table, quantity(misfits, "row")));
  }

  void tellGaps(const std::string& table, const std::vector<RowGap>& gaps) {
    std::size_t told = 0;
    for (const RowGap& gap : gaps) {
      if (++told > kMostTold) {
        lose(fmt::format("{}: {} more places cannot be read", table, gaps.size() - kMostTold));
        return;
      }
      if (gap.first == 0)
        lose(fmt::format("{}: some rows cannot be read", table));
      else if (gap.last == 0)
        lose(fmt::format("{}: from row {} on nothing can be read", table, gap.first));
      else
        lose(fmt::format("{}: rows {} to {} cannot be read", table, gap.first, gap.last));
    }
  }

  // --- making it sound

  void mend(Database& into, StoredRecords& stored) {
    progress_.doing = "putting together what belongs together";
    tell();
    mendSessions(into);
    mendSources(into);
    mendTexts(into);
    mendBlocks(into);
    mendReferences(into); // before records are read, which needs what they name
    dropUnreadableRecords(into, stored);
    mendBlocks(into); // of which such records may be gone
    mendReferences(into);
    listTasks(into);
    resetSources(into);
    dropChoices(into);
  }

  /// What names a session that is lost would be lost with it.
  void mendSessions(Database& into) {
    std::set<RowId> wanted;
    for (const char* table : {"record", "session_task"}) {
      Statement rows = into.prepare(fmt::format(
          "SELECT DISTINCT session FROM {} WHERE session NOT IN (SELECT id FROM session)", table));
      while (rows.step())
        wanted.insert(rows.integer(0));
    }
    Statement broken = into.prepare("SELECT id FROM session WHERE NOT json_valid(config)");
    while (broken.step())
      wanted.insert(broken.integer(0));
    for (const RowId id : wanted) {
      into.prepare("INSERT OR REPLACE INTO session (id, network, title, config, status, "
                   "created_at, updated_at, wall_seconds, scheduler_state, product) "
                   "VALUES (?, NULL, ?, ?, 'finished', 0, 0, 0, '', '')")
          .bind(id, fmt::format("Salvaged session {}", id), lostConfig_)
          .run();
      lose(fmt::format("the name and the settings of session {}", id));
    }
    into.execute("UPDATE session SET scheduler_state = '' WHERE scheduler_state <> '' AND "
                 "NOT json_valid(scheduler_state)");
    into.execute("UPDATE session SET status = 'paused' WHERE status = 'running'");
  }

  static void mendSources(Database& into) {
    into.execute("INSERT INTO import_source (id, session, path, head_bytes, head_hash, offset, "
                 "file_bytes, lines, records, duplicates, comments, broken, finished) "
                 "SELECT DISTINCT source, NULL, 'a log whose name is lost', 0, 0, 0, 0, 0, 0, 0, "
                 "0, 0, 0 FROM record_block WHERE source NOT IN (SELECT id FROM import_source)");
  }

  void mendTexts(Database& into) {
    dropWhere(into, "event", "id", "json",
              [](const Statement& row) { return nlohmann::json::accept(readPacked(row, 1)); });
    dropWhere(into, "recombination", "id", "state",
              [](const Statement& row) { return nlohmann::json::accept(readPacked(row, 1)); });
    dropWhere(into, "model", "session", "bytes, hash",
              [](const Statement& row) { return hashHex(row.view(1)) == row.view(2); });
    for (const char* table : {"error", "trace"})
      dropWhere(into, table, "record", "text", [](const Statement& row) {
        readPacked(row, 1);
        return true;
      });
  }

  /// Drops the rows of which `good` says no, or that it cannot read.
  template <class F>
  void dropWhere(Database& into, const char* table, const char* key, const char* columns,
                 const F& good) {
    std::vector<RowId> bad;
    Statement rows = into.prepare(fmt::format("SELECT {}, {} FROM {}", key, columns, table));
    while (rows.step()) {
      bool sound = false;
      try {
        sound = good(rows);
      } catch (const InputError&) {
        // Told below.
      }
      if (!sound) bad.push_back(rows.integer(0));
    }
    for (const RowId id : bad)
      into.prepare(fmt::format("DELETE FROM {} WHERE {} = ?", table, key)).bind(id).run();
    if (!bad.empty())
      lose(fmt::format("{}: {} cannot be understood", table,
                       quantity(std::int64_t(bad.size()), "row")));
  }

  /// Each imported record lies in one block, whose records follow one another: blocks of which
  /// records are lost become smaller ones, and records without a block go.
  void mendBlocks(Database& into) {
    std::vector<RowId> starts;
    Statement all = into.prepare("SELECT first FROM record_block ORDER BY first");
    while (all.step())
      starts.push_back(all.integer(0));
    std::int64_t unreadable = 0;
    RowId end = 0;
    for (const RowId first : starts) {
      std::optional<StoredBlock> block;
      try {
        if (first >= end) block = findBlock(into, first);
      } catch (const InputError&) {
        // Told below.
      }
      if (!block) {
        ++unreadable;
        into.prepare("DELETE FROM record_block WHERE first = ?").bind(first).run();
        continue;
      }
      end = first + RowId(block->content.items.size());
      keepPresent(into, *block);
    }
    if (unreadable > 0)
      lose(fmt::format("{} of imported records cannot be understood",
                       quantity(unreadable, "block")));
    into.execute("DELETE FROM record WHERE details = x'' AND NOT EXISTS (SELECT 1 FROM "
                 "record_block WHERE first = (SELECT max(first) FROM record_block AS block WHERE "
                 "block.first <= record.id) AND record.id < first + records)");
  }

  static void keepPresent(Database& into, const StoredBlock& block) {
    const auto count = RowId(block.content.items.size());
    std::vector<RowId> present;
    Statement rows = into.prepare("SELECT id FROM record WHERE id >= ? AND id < ? AND "
                                  "details = x'' ORDER BY id");
    rows.bind(block.first, block.first + count);
    while (rows.step())
      present.push_back(rows.integer(0));
    rows.reset();
    if (std::ssize(present) == count) return;
    into.prepare("DELETE FROM record_block WHERE first = ?").bind(block.first).run();
    for (std::size_t begin = 0, next = 0; begin < present.size(); begin = next) {
      ImportedBlock part{block.content.origins, {}};
      for (next = begin;
           next < present.size() && present[next] - present[begin] == RowId(next - begin); ++next)
        part.items.push_back(block.item(present[next]));
      into.prepare("INSERT INTO record_block (first, source, records, bytes) VALUES (?, ?, ?, ?)")
          .bind(present[begin], block.source, std::int64_t(next - begin))
          .bindBlob(4, encodeBlock(part))
          .run();
    }
  }

  /// Drops what names a row that is lost, or forgets the name where it may be missing, until
  /// nothing does.
  void mendReferences(Database& into) {
    std::map<std::string, std::int64_t> dropped;
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::string& table : tablesOf(into))
        for (const Reference& reference : referencesOf(into, table)) {
          const std::int64_t before = sqlite3_total_changes64(into.handle());
          into.execute(mending(reference));
          const std::int64_t rows = sqlite3_total_changes64(into.handle()) - before;
          if (rows == 0) continue;
          changed = true;
          const bool isSum = table == "tally" || table == "task_summary"; // made anew
          if (!reference.optional && !isSum) dropped[table] += rows;
        }
    }
    for (const auto& [table, rows] : dropped)
      lose(fmt::format("{}: {} belonged to what is lost", table, quantity(rows, "row")));
  }

  static std::string mending(const Reference& reference) {
    std::string same, given;
    for (std::size_t i = 0; i < reference.columns.size(); ++i) {
      same += fmt::format("{}{}.{} = {}.{}", i > 0 ? " AND " : "", reference.parent,
                          reference.named.at(i), reference.child, reference.columns[i]);
      given += fmt::format("{} IS NOT NULL AND ", reference.columns[i]);
    }
    return fmt::format("{} WHERE {} NOT EXISTS (SELECT 1 FROM {} WHERE {})",
                       reference.optional ? fmt::format("UPDATE {} SET {} = NULL", reference.child,
                                                        reference.columns.front())
                                          : fmt::format("DELETE FROM {}", reference.child),
                       given, reference.parent, same);
  }

  /// A record is as good as what it says of its program and its times.
  void dropUnreadableRecords(Database& into, StoredRecords& stored) {
    std::vector<std::pair<RowId, std::string>> bad;
    Statement rows = into.prepare("SELECT id, seconds FROM record ORDER BY id");
    while (rows.step() && !stop_) {
      const RowId id = rows.integer(0);
      try {
        const std::optional<Record> record = stored.read(id);
        const double seconds = rows.isNull(1) ? kInfinity : rows.real(1);
        if (record && record->result.latency() != seconds)
          bad.emplace_back(id, "it tells two times");
      } catch (const InputError& error) {
        bad.emplace_back(id, error.what());
      }
    }
    rows.reset();
    std::size_t told = 0;
    for (const auto& [id, reason] : bad) {
      into.prepare("DELETE FROM record WHERE id = ?").bind(id).run();
      if (++told <= kMostTold) lose(fmt::format("record {}: {}", id, reason));
    }
    if (bad.size() > kMostTold)
      lose(fmt::format("{} more records cannot be understood", bad.size() - kMostTold));
  }

  /// A task has a place, and is among those of each session that has records of it.
  static void listTasks(Database& into) {
    into.execute("INSERT INTO network_task (task, network, position, weight) SELECT id, NULL, 0, 1 "
                 "FROM task WHERE id NOT IN (SELECT task FROM network_task); "
                 "INSERT INTO session_task (session, position, task) SELECT session, "
                 "(SELECT ifnull(max(position), -1) FROM session_task AS listed WHERE "
                 "listed.session = there.session) + row_number() OVER (PARTITION BY session "
                 "ORDER BY task), task FROM (SELECT DISTINCT session, task FROM record) AS there "
                 "WHERE NOT EXISTS (SELECT 1 FROM session_task AS listed WHERE listed.session = "
                 "there.session AND listed.task = there.task)");
  }

  /// Logs of which records are lost are to be read again.
  static void resetSources(Database& into) {
    into.execute("CREATE TEMP TABLE reset AS SELECT id FROM import_source WHERE records <> "
                 "(SELECT ifnull(sum(records), 0) FROM record_block WHERE source = "
                 "import_source.id) OR lines <> records + duplicates + comments + broken; "
                 "DELETE FROM import_problem WHERE source IN (SELECT id FROM temp.reset); "
                 "UPDATE import_source SET offset = 0, file_bytes = 0, lines = 0, records = 0, "
                 "duplicates = 0, comments = 0, broken = 0, finished = 0 WHERE id IN "
                 "(SELECT id FROM temp.reset); DROP TABLE temp.reset");
  }

  static void dropChoices(Database& into) {
    into.execute("DELETE FROM network_choice_task WHERE NOT EXISTS (SELECT 1 FROM record WHERE "
                 "record.id = record AND record.task = network_choice_task.task AND "
                 "record.seconds IS NOT NULL)");
  }

  /// False when it was stopped.
  bool finish(std::int64_t told) {
    if (stop_) {
      report_.cancelled = true;
      return false;
    }
    progress_.doing = "counting again";
    tell();
    {
      Database into = openDatabaseFile(draft_.path(), OpenMode::ReadWrite);
      renewGeneration(into);
    }
    rebuildSums(draft_.path());
    const RecordStore store = RecordStore::open(draft_.path(), OpenMode::ReadOnly);
    report_.records = store.records().total();
    if (progress_.records)
      report_.lost = std::max<std::int64_t>(0, *progress_.records - report_.records);
    else if (told > 0)
      report_.lost = std::max<std::int64_t>(0, told - report_.records);
    progress_.doing = "checking";
    tell();
    report_.problems = store.check();
    return true;
  }

  void lose(const std::string& what) { report_.losses.push_back(what); }

  void tell() const {
    if (onProgress_) onProgress_(progress_);
  }

  const std::string& lostConfig_;
  const std::atomic<bool>& stop_;
  const std::function<void(const SalvageProgress&)>& onProgress_;
  Database from_;
  DraftFile draft_;
  SalvageProgress progress_;
  SalvageReport report_;
};

} // namespace

SalvageReport salvageFile(const std::string& damaged, const std::string& into,
                          const std::string& lostConfig, const std::atomic<bool>& stop,
                          const std::function<void(const SalvageProgress&)>& onProgress) {
  if (std::filesystem::exists(into))
    throw InputError(
        fmt::format("{} is there already; name a new file for what can be salvaged", into));
  return Salvage(damaged, into, lostConfig, stop, onProgress).run();
}

} // namespace nestwright
