#include "core/record/care/sound_rows.h"

#include "core/record/care/merge_rows.h"
#include "core/record/format/columns.h"
#include "core/record/format/stored_block.h"
#include "core/record/select/record_cells.h"
#include "core/record/store/stored_records.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/support/infinity.h"
#include "core/support/quantity.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <map>
#include <optional>
#include <set>

namespace nestwright {

namespace {

using sqlite::Database;
using sqlite::Statement;

/// Records that are told one by one.
constexpr std::size_t kMostRecordsTold = 20;

/// A column that names rows of another table.
struct Reference {
  std::string child, parent;
  std::vector<std::string> columns, named; // of the child, and of the parent
  bool optional = false;                   // it may be NULL
};

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
    reference.named = primaryKeyOf(db, reference.parent);
  }
  std::vector<Reference> references;
  for (auto& [id, reference] : found)
    references.push_back(std::move(reference));
  return references;
}

class Mending {
 public:
  Mending(Database& db, StoredRecords& stored, const std::string& lostConfig,
          const std::atomic<bool>& stop)
      : db_(db), stored_(stored), lostConfig_(lostConfig), stop_(stop) {}

  std::vector<std::string> run() {
    mendSessions();
    mendSources();
    mendTexts();
    mendBlocks();
    mendReferences(); // before records are read, which needs what they name
    dropUnreadableRecords();
    mendBlocks(); // of which such records may be gone
    mendReferences();
    listTasks();
    resetSources();
    dropChoices();
    return std::move(losses_);
  }

 private:
  /// What names a session that is lost would be lost with it.
  void mendSessions() {
    std::set<RowId> wanted;
    for (const char* table : {"record", "session_task"}) {
      Statement rows = db_.prepare(fmt::format(
          "SELECT DISTINCT session FROM {} WHERE session NOT IN (SELECT id FROM session)", table));
      while (rows.step())
        wanted.insert(rows.integer(0));
    }
    Statement broken = db_.prepare("SELECT id FROM session WHERE NOT json_valid(config)");
    while (broken.step())
      wanted.insert(broken.integer(0));
    for (const RowId id : wanted) {
      db_.prepare("INSERT OR REPLACE INTO session (id, network, title, config, status, "
                  "created_at, updated_at, wall_seconds, scheduler_state, product) "
                  "VALUES (?, NULL, ?, ?, 'finished', 0, 0, 0, '', '')")
          .bind(id, fmt::format("Salvaged session {}", id), lostConfig_)
          .run();
      lose(fmt::format("the name and the settings of session {}", id));
    }
    db_.execute("UPDATE session SET scheduler_state = '' WHERE scheduler_state <> '' AND "
                "NOT json_valid(scheduler_state)");
    db_.execute("UPDATE session SET status = 'paused' WHERE status = 'running'");
  }

  void mendSources() {
    db_.execute("INSERT INTO import_source (id, session, path, head_bytes, head_hash, offset, "
                "file_bytes, lines, records, duplicates, comments, broken, finished) "
                "SELECT DISTINCT source, NULL, 'a log whose name is lost', 0, 0, 0, 0, 0, 0, 0, "
                "0, 0, 0 FROM record_block WHERE source NOT IN (SELECT id FROM import_source)");
  }

  void mendTexts() {
    dropWhere("event", "id", "json",
              [](const Statement& row) { return nlohmann::json::accept(readPacked(row, 1)); });
    dropWhere("recombination", "id", "state",
              [](const Statement& row) { return nlohmann::json::accept(readPacked(row, 1)); });
    dropWhere("model", "session", "bytes, hash",
              [](const Statement& row) { return hashHex(row.view(1)) == row.view(2); });
    for (const char* table : {"error", "trace"})
      dropWhere(table, "record", "text", [](const Statement& row) {
        readPacked(row, 1);
        return true;
      });
  }

  /// Drops the rows of which `good` says no, or that it cannot read.
  template <class F>
  void dropWhere(const char* table, const char* key, const char* columns, const F& good) {
    std::vector<RowId> bad;
    Statement rows = db_.prepare(fmt::format("SELECT {}, {} FROM {}", key, columns, table));
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
      db_.prepare(fmt::format("DELETE FROM {} WHERE {} = ?", table, key)).bind(id).run();
    if (!bad.empty())
      lose(fmt::format("{}: {} cannot be understood", table,
                       quantity(std::int64_t(bad.size()), "row")));
  }

  /// Each imported record lies in one block, whose records follow one another: blocks of which
  /// records are lost become smaller ones, and records without a block go.
  void mendBlocks() {
    std::vector<RowId> starts;
    Statement all = db_.prepare("SELECT first FROM record_block ORDER BY first");
    while (all.step())
      starts.push_back(all.integer(0));
    std::int64_t unreadable = 0;
    RowId end = 0;
    for (const RowId first : starts) {
      std::optional<StoredBlock> block;
      try {
        if (first >= end) block = findBlock(db_, first);
      } catch (const InputError&) {
        // Told below.
      }
      if (!block) {
        ++unreadable;
        db_.prepare("DELETE FROM record_block WHERE first = ?").bind(first).run();
        continue;
      }
      end = first + RowId(block->content.items.size());
      keepPresent(*block);
    }
    if (unreadable > 0)
      lose(fmt::format("{} of imported records cannot be understood",
                       quantity(unreadable, "block")));
    db_.execute("DELETE FROM record WHERE details = x'' AND NOT EXISTS (SELECT 1 FROM "
                "record_block WHERE first = (SELECT max(first) FROM record_block AS block WHERE "
                "block.first <= record.id) AND record.id < first + records)");
  }

  void keepPresent(const StoredBlock& block) {
    const auto count = RowId(block.content.items.size());
    std::vector<RowId> present;
    Statement rows = db_.prepare("SELECT id FROM record WHERE id >= ? AND id < ? AND "
                                 "details = x'' ORDER BY id");
    rows.bind(block.first, block.first + count);
    while (rows.step())
      present.push_back(rows.integer(0));
    rows.reset();
    if (std::ssize(present) == count) return;
    db_.prepare("DELETE FROM record_block WHERE first = ?").bind(block.first).run();
    for (std::size_t begin = 0, next = 0; begin < present.size(); begin = next) {
      ImportedBlock part{block.content.origins, {}};
      for (next = begin;
           next < present.size() && present[next] - present[begin] == RowId(next - begin); ++next)
        part.items.push_back(block.item(present[next]));
      db_.prepare("INSERT INTO record_block (first, source, records, bytes) VALUES (?, ?, ?, ?)")
          .bind(present[begin], block.source, std::int64_t(next - begin))
          .bindBlob(4, encodeBlock(part))
          .run();
    }
  }

  /// Drops what names a row that is lost, or forgets the name where it may be missing, until
  /// nothing does.
  void mendReferences() {
    std::map<std::string, std::int64_t> dropped;
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::string& table : tablesOf(db_))
        for (const Reference& reference : referencesOf(db_, table)) {
          const std::int64_t before = sqlite3_total_changes64(db_.handle());
          db_.execute(mending(reference));
          const std::int64_t rows = sqlite3_total_changes64(db_.handle()) - before;
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
  void dropUnreadableRecords() {
    std::vector<std::pair<RowId, std::string>> bad;
    Statement rows = db_.prepare("SELECT id, seconds FROM record ORDER BY id");
    while (rows.step() && !stop_) {
      const RowId id = rows.integer(0);
      try {
        const std::optional<Record> record = stored_.read(id);
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
      db_.prepare("DELETE FROM record WHERE id = ?").bind(id).run();
      if (++told <= kMostRecordsTold) lose(fmt::format("record {}: {}", id, reason));
    }
    if (bad.size() > kMostRecordsTold)
      lose(fmt::format("{} cannot be understood",
                       quantity(std::int64_t(bad.size() - kMostRecordsTold), "more record")));
  }

  /// A task has a place, and is among those of each session that has records of it.
  void listTasks() {
    db_.execute("INSERT INTO network_task (task, network, position, weight) SELECT id, NULL, 0, 1 "
                "FROM task WHERE id NOT IN (SELECT task FROM network_task); "
                "INSERT INTO session_task (session, position, task) SELECT session, "
                "(SELECT ifnull(max(position), -1) FROM session_task AS listed WHERE "
                "listed.session = there.session) + row_number() OVER (PARTITION BY session "
                "ORDER BY task), task FROM (SELECT DISTINCT session, task FROM record) AS there "
                "WHERE NOT EXISTS (SELECT 1 FROM session_task AS listed WHERE listed.session = "
                "there.session AND listed.task = there.task)");
  }

  /// Logs of which records are lost are to be read again.
  void resetSources() {
    db_.execute("CREATE TEMP TABLE reset AS SELECT id FROM import_source WHERE records <> "
                "(SELECT ifnull(sum(records), 0) FROM record_block WHERE source = "
                "import_source.id) OR lines <> records + duplicates + comments + broken; "
                "DELETE FROM import_problem WHERE source IN (SELECT id FROM temp.reset); "
                "UPDATE import_source SET offset = 0, file_bytes = 0, lines = 0, records = 0, "
                "duplicates = 0, comments = 0, broken = 0, finished = 0 WHERE id IN "
                "(SELECT id FROM temp.reset); DROP TABLE temp.reset");
  }

  void dropChoices() {
    db_.execute("DELETE FROM network_choice_task WHERE NOT EXISTS (SELECT 1 FROM record WHERE "
                "record.id = record AND record.task = network_choice_task.task AND "
                "record.seconds IS NOT NULL)");
  }

  void lose(std::string what) { losses_.push_back(std::move(what)); }

  Database& db_;
  StoredRecords& stored_;
  const std::string& lostConfig_;
  const std::atomic<bool>& stop_;
  std::vector<std::string> losses_;
};

} // namespace

std::vector<std::string> makeSound(Database& db, StoredRecords& stored,
                                   const std::string& lostConfig, const std::atomic<bool>& stop) {
  return Mending(db, stored, lostConfig, stop).run();
}

} // namespace nestwright
