#include "core/record/care/compact_file.h"

#include "core/record/care/rebuild_sums.h"
#include "core/record/file/database_file.h"
#include "core/record/file/file_system.h"
#include "core/record/file/generation_keeper.h"
#include "core/record/sql/file_holders.h"
#include "core/record/sql/file_trouble.h"
#include "core/record/sql/interruptible.h"
#include "core/record/sql/query_stopped.h"
#include "core/record/store/store.h"
#include "core/support/draft_file.h"
#include "core/support/error.h"
#include "core/support/units.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace nestwright {

namespace {

using sqlite::Database;
using sqlite::Statement;

std::int64_t bytesOf(const std::string& path) {
  std::error_code none;
  std::int64_t bytes = 0;
  for (const char* part : {"", "-wal"}) {
    const auto size = std::filesystem::file_size(path + part, none);
    bytes += none ? 0 : std::int64_t(size);
  }
  return bytes;
}

/// Gives the new file the owner and the rights of the old one, as far as we may.
void takeRights(const std::string& from, const std::string& to) {
  struct stat status {};
  if (stat(from.c_str(), &status) != 0) return;
  (void)!chown(to.c_str(), status.st_uid, status.st_gid);
  chmod(to.c_str(), status.st_mode & 07777);
}

/// From here on nobody else gets at the file until the connection closes; who tries, waits, and
/// finds the new file.
void takeAlone(Database& database) {
  database.waitFor(std::chrono::milliseconds(500));
  try {
    // Works the log in, and fails beside others. Without a journal on the disk: who still waits for
    // the file that is replaced would take it for one of that file. Nothing needs to be undone but
    // two bytes of the header, either of which is good.
    database.execute("PRAGMA journal_mode = MEMORY");
    database.execute("PRAGMA locking_mode = EXCLUSIVE");
    database.execute("BEGIN EXCLUSIVE; COMMIT");
  } catch (const FileTrouble&) {
    throw FileTrouble(fmt::format("{} is open in {}; close it there, and compact it then",
                                  database.path(), otherHolders(database.path(), false)));
  }
}

void requireRoom(Database& database, int copies) {
  const std::int64_t pages =
      database.integer("PRAGMA page_count") - database.integer("PRAGMA freelist_count");
  const std::int64_t needed = copies * pages * database.integer("PRAGMA page_size");
  const std::int64_t there = freeBytes(database.path());
  if (there >= 0 && there < needed)
    throw FileTrouble(
        fmt::format("{}: compacting needs up to {} beside the file, and {} are free; make "
                    "room, or copy the file to another disk and compact it there",
                    database.path(), formatBytes(double(needed)), formatBytes(double(there))));
}

/// False when `progress` did not want to go on.
bool writeAnew(Database& database, const std::string& to,
               const std::function<bool(double)>& progress) {
  const double bytes =
      double(database.integer("PRAGMA page_count")) * double(database.integer("PRAGMA page_size"));
  const sqlite::Interruptible guard(database, [&] {
    std::error_code none;
    const auto size = std::filesystem::file_size(to, none);
    return !progress || progress(none ? 0 : std::min(1.0, double(size) / bytes));
  });
  try {
    database.prepare("VACUUM INTO ?").bind(to).run();
  } catch (const QueryStopped&) {
    return false;
  }
  return true;
}

/// Rows of every table, by name.
std::string rowCounts(Database& database) {
  std::string counts;
  Statement tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND "
                                      "name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name");
  while (tables.step())
    counts += fmt::format("{} {}\n", tables.view(0),
                          database.integer(fmt::format("SELECT count(*) FROM {}", tables.view(0))));
  return counts;
}

/// On a network file system, where a file must not be replaced under a journal that others write:
/// within a transaction of the file itself.
CompactReport compactInPlace(Database& database, const CompactOptions& options,
                             CompactReport report) {
  requireRoom(database, 2); // a copy and the journal
  database.execute("PRAGMA temp_store = FILE; VACUUM");
  if (options.rebuildSums) rebuildSums(database.path());
  report.versionAfter = int(database.integer("PRAGMA user_version"));
  report.bytesAfter = bytesOf(database.path());
  return report;
}

} // namespace

CompactReport compactFile(const std::string& given, const CompactOptions& options,
                          const std::function<bool(double)>& progress) {
  const std::string path = realPath(given);
  CompactReport report;
  report.bytesBefore = bytesOf(path);
  report.versionBefore =
      int(openDatabaseFile(path, OpenMode::ReadOnly).integer("PRAGMA user_version"));
  Database database = openDatabaseFile(path, OpenMode::ReadWrite);
  if (!allowsLog(path)) return compactInPlace(database, options, report);
  takeAlone(database);
  requireRoom(database, 1);
  DraftFile draft(path, "compact");
  if (!writeAnew(database, draft.path(), progress)) {
    report.cancelled = true;
    report.bytesAfter = report.bytesBefore;
    return report;
  }
  {
    Database copy = openDatabaseFile(draft.path(), OpenMode::ReadWrite);
    if (rowCounts(copy) != rowCounts(database))
      throw SystemError(fmt::format("{}: the new file lacks rows of the old one, which stays as it "
                                    "is; check the disk and the memory of this machine",
                                    path));
    report.versionAfter = int(copy.integer("PRAGMA user_version"));
    renewGeneration(copy);
  }
  if (options.rebuildSums) rebuildSums(draft.path());
  takeRights(path, draft.path());
  draft.takePlace(true);
  report.bytesAfter = bytesOf(path);
  return report;
}

} // namespace nestwright
