#include "core/record/compact_file.h"

#include "core/record/database_file.h"
#include "core/record/file_holders.h"
#include "core/record/file_system.h"
#include "core/record/file_trouble.h"
#include "core/record/rebuild_sums.h"
#include "core/support/error.h"
#include "core/support/units.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
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

void sync(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

/// The new file while it is written; removed unless it was put in its place.
class Draft {
 public:
  explicit Draft(const std::string& target)
      : target_(target), path_(fmt::format("{}.compact-{}", target, getpid())) {
    remove();
  }
  ~Draft() { remove(); }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  const std::string& path() const { return path_; }

  void replaceTarget() {
    struct stat status {};
    if (stat(target_.c_str(), &status) == 0) {
      (void)!chown(path_.c_str(), status.st_uid, status.st_gid); // as far as we may
      chmod(path_.c_str(), status.st_mode & 07777);
    }
    sync(path_);
    if (rename(path_.c_str(), target_.c_str()) != 0)
      throw SystemError(fmt::format("{}: cannot be replaced: {}", target_, std::strerror(errno)));
    sync(std::filesystem::path(target_).parent_path().string());
  }

 private:
  void remove() {
    for (const char* part : {"", "-wal", "-shm", "-journal"})
      unlink((path_ + part).c_str());
  }
  std::string target_, path_;
};

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

struct Progress {
  const std::function<bool(double)>& tell;
  std::string path;
  double bytes;
  bool stopped = false;
};

int goOn(void* context) {
  auto* progress = static_cast<Progress*>(context);
  std::error_code none;
  const auto size = std::filesystem::file_size(progress->path, none);
  const double done = none ? 0 : std::min(1.0, double(size) / progress->bytes);
  progress->stopped = !progress->tell(done);
  return progress->stopped ? 1 : 0;
}

/// False when `progress` did not want to go on.
bool writeAnew(Database& database, const std::string& to,
               const std::function<bool(double)>& progress) {
  constexpr int kStepsBetween = 200'000;
  const double bytes =
      double(database.integer("PRAGMA page_count")) * double(database.integer("PRAGMA page_size"));
  Progress state{progress, to, bytes};
  if (progress) sqlite3_progress_handler(database.handle(), kStepsBetween, goOn, &state);
  try {
    database.prepare("VACUUM INTO ?").bind(to).run();
  } catch (...) {
    sqlite3_progress_handler(database.handle(), 0, nullptr, nullptr);
    if (state.stopped) return false;
    throw;
  }
  sqlite3_progress_handler(database.handle(), 0, nullptr, nullptr);
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
  // By its real name: a link keeps leading to the file.
  std::error_code unknown;
  const std::filesystem::path real = std::filesystem::canonical(given, unknown);
  const std::string path = unknown ? given : real.string();
  CompactReport report;
  report.bytesBefore = bytesOf(path);
  report.versionBefore =
      int(openDatabaseFile(path, OpenMode::ReadOnly).integer("PRAGMA user_version"));
  Database database = openDatabaseFile(path, OpenMode::ReadWrite);
  if (!allowsLog(path)) return compactInPlace(database, options, report);
  takeAlone(database);
  requireRoom(database, 1);
  Draft draft(path);
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
  }
  if (options.rebuildSums) rebuildSums(draft.path());
  draft.replaceTarget();
  report.bytesAfter = bytesOf(path);
  return report;
}

} // namespace nestwright
