#include "core/record/care/salvage_file.h"

#include "core/record/care/damaged_rows.h"
#include "core/record/care/merge_rows.h"
#include "core/record/care/rebuild_sums.h"
#include "core/record/care/sound_rows.h"
#include "core/record/file/database_file.h"
#include "core/record/file/file_system.h"
#include "core/record/file/generation_keeper.h"
#include "core/record/file/schema.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/stored_records.h"
#include "core/support/draft_file.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

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
      progress_.doing = "putting together what belongs together";
      tell();
      into.transaction([&] {
        for (const std::string& loss : makeSound(into, stored, lostConfig_, stop_))
          lose(loss);
      });
    }
    if (!finish(told)) return report_;
    draft_.takePlace(false);
    return report_;
  }

 private:
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
    if (kind.bind(table).step()) wanted.key = primaryKeyOf(into, table);
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
        lose(fmt::format("{}: {} cannot be read", table,
                         quantity(std::int64_t(gaps.size() - kMostTold), "more place")));
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
