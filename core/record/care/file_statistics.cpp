#include "core/record/care/file_statistics.h"

#include "core/record/file/database_file.h"
#include "core/record/file/file_system.h"
#include "core/record/format/result_codec.h"
#include "core/record/sql/file_holders.h"
#include "core/record/sql/interruptible.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

namespace nestwright {

namespace {

using sqlite::Database;
using sqlite::Statement;

std::int64_t sizeOf(const std::string& path) {
  std::error_code none;
  const auto size = std::filesystem::file_size(path, none);
  return none ? 0 : std::int64_t(size);
}

std::int64_t rowsOf(Database& db, const char* table) {
  return db.integer(fmt::format("SELECT count(*) FROM {}", table));
}

/// Empty where SQLite was built without its virtual table of pages.
std::vector<StoredPart> partsOf(Database& db) {
  std::vector<StoredPart> parts;
  if (db.integer("SELECT count(*) FROM pragma_module_list WHERE name = 'dbstat'") == 0)
    return parts;
  Statement rows =
      db.prepare("SELECT pages.name, ifnull(tbl_name, pages.name), ifnull(type = 'index', 0), "
                 "pgsize, unused FROM dbstat AS pages LEFT JOIN sqlite_schema AS part "
                 "ON part.name = pages.name WHERE aggregate = TRUE ORDER BY pgsize DESC, 1");
  while (rows.step())
    parts.push_back(
        {rows.text(0), rows.text(1), rows.integer(2) != 0, rows.integer(3), rows.integer(4)});
  return parts;
}

std::vector<CountedRecords> counted(Database& db, const char* rows) {
  std::vector<CountedRecords> counts;
  Statement sums = db.prepare(rows);
  sums.bind(kForgottenCode);
  while (sums.step())
    counts.push_back({sums.integer(0), sums.text(1), sums.integer(2), sums.integer(3)});
  return counts;
}

void countRecords(Database& db, FileStatistics& statistics) {
#define NW_SUMS                                                                                    \
  "ifnull(sum(records), 0), ifnull(sum(CASE WHEN verdict & ?1 THEN records ELSE 0 END), 0) "
  statistics.sessions = counted(db, "SELECT session.id, title, " NW_SUMS
                                    "FROM session LEFT JOIN tally ON session = session.id "
                                    "GROUP BY session.id ORDER BY session.id");
  statistics.tasks =
      counted(db, "SELECT task.id, name, " NW_SUMS "FROM task LEFT JOIN tally ON task = task.id "
                  "GROUP BY task.id ORDER BY 3 DESC, task.id");
  statistics.targets = counted(db, "SELECT target.id, target.key, " NW_SUMS
                                   "FROM target LEFT JOIN task ON target = target.id "
                                   "LEFT JOIN tally ON task = task.id "
                                   "GROUP BY target.id ORDER BY 3 DESC, target.id");
#undef NW_SUMS
  std::map<Verdict, std::int64_t> verdicts;
  Statement rows = db.prepare("SELECT verdict, sum(records) FROM tally GROUP BY verdict");
  while (rows.step()) {
    const int code = int(rows.integer(0));
    statistics.records += rows.integer(1);
    if ((code & kForgottenCode) != 0)
      statistics.forgotten += rows.integer(1);
    else if (rows.integer(1) > 0)
      verdicts[verdictOf(code)] += rows.integer(1);
  }
  for (const auto& [verdict, records] : verdicts)
    statistics.verdicts.push_back({verdict, records});
}

/// Who else than this process.
std::string othersOf(const std::string& path) {
  std::string text;
  for (const FileHolder& holder : fileHolders(path))
    if (holder.process != getpid()) text += (text.empty() ? "" : " and ") + describe(holder);
  return text;
}

} // namespace

FileStatistics fileStatistics(const std::string& path, bool parts,
                              const std::function<bool()>& goOn) {
  Database db = openDatabaseFile(path, OpenMode::ReadOnly);
  std::optional<sqlite::Interruptible> guard;
  if (goOn) guard.emplace(db, goOn);
  const sqlite::Snapshot moment(db);
  FileStatistics statistics;
  const std::int64_t pageBytes = db.integer("PRAGMA page_size");
  statistics.version = int(db.integer("PRAGMA user_version"));
  statistics.fileBytes = db.integer("PRAGMA page_count") * pageBytes;
  statistics.freeBytes = db.integer("PRAGMA freelist_count") * pageBytes;
  statistics.logBytes = sizeOf(path + "-wal");
  statistics.holders = othersOf(path);
  statistics.note = fileSystemNote(path);
  countRecords(db, statistics);
  statistics.events = rowsOf(db, "event");
  statistics.shapes = rowsOf(db, "shape");
  statistics.blocks = rowsOf(db, "record_block");
  if (parts) statistics.parts = partsOf(db);
  return statistics;
}

} // namespace nestwright
