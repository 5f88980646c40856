#include "core/record/file/database_file.h"

#include "core/record/file/file_system.h"
#include "core/record/file/generation_keeper.h"
#include "core/record/file/read_only.h"
#include "core/record/file/schema.h"
#include "core/record/file/schema_check.h"
#include "core/record/sql/damaged_file.h"
#include "core/record/sql/file_trouble.h"
#include "core/record/sql/integrity.h"
#include "core/record/sql/regular_expression.h"
#include "core/support/error.h"
#include "core/support/own_file.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <tuple>

namespace nestwright {

namespace {

using sqlite::Access;
using sqlite::Database;

/// Files up to this size are read through when they are opened; it takes some milliseconds. Damage
/// in larger ones shows when it is met, or in RecordStore::check.
constexpr std::int64_t kThoroughBytes = 4 << 20;

std::int64_t fileSize(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? std::int64_t(status.st_size) : -1;
}

/// Whether another connection has the file open, or a program died while it had: then the newest
/// state is in the file beside it; or what undoes a transaction that was cut off, where there is no
/// log.
bool hasLog(const std::string& path) {
  const std::string real = realPath(path);
  return fileSize(real + "-wal") > 0 || fileSize(real + "-journal") > 0;
}

bool writable(const std::string& path) {
  return access(path.c_str(), W_OK) == 0 && access(folderOf(path).c_str(), W_OK | X_OK) == 0;
}

void requireReadableFile(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0)
    throw InputError(fmt::format("{}: cannot open the database: {}", path, std::strerror(errno)));
  if (S_ISDIR(status.st_mode))
    throw InputError(fmt::format("{}: is a folder, not a database file", path));
  if (!S_ISREG(status.st_mode))
    throw InputError(fmt::format("{}: is not a regular file, so it cannot be a database", path));
  if (access(path.c_str(), R_OK) != 0)
    throw InputError(fmt::format("{}: cannot read the database: {}", path, std::strerror(errno)));
  if (status.st_size == 0)
    throw InputError(fmt::format(
        "{}: the file is empty, so it is not a Nestwright database; delete it, or choose "
        "another name",
        path));
}

/// The first bytes of the file. They come through SQLite: to open and close the file ourselves
/// would drop the locks of every other connection in this process.
std::string readHeader(Database& database) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(database.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  std::string bytes(sqlite::kHeaderBytes, '\0');
  const bool read = file != nullptr && file->pMethods != nullptr &&
                    file->pMethods->xRead(file, bytes.data(), int(bytes.size()), 0) == SQLITE_OK;
  return read ? bytes : std::string();
}

std::uint32_t bigEndian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = at; i < at + count; ++i)
    value = value << 8 | std::uint8_t(bytes[i]);
  return value;
}

void requireVersion(const std::string& path, std::int64_t version) {
  if (version < 1)
    throw InputError(fmt::format("{}: the file is damaged: it says version {}", path, version));
}

/// Judges by the header alone. Offsets are those of SQLite's file format, section 1.3. Beside a log
/// of its own the file may be shorter than it says, until the log is worked in.
void requireOurHeader(const std::string& path, std::string_view header, bool besideLog) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  if (!header.starts_with(kMagic))
    throw InputError(fmt::format("{}: is not a Nestwright database", path));
  if (bigEndian(header, 68, 4) != kApplicationId)
    throw InputError(
        fmt::format("{}: is an SQLite database of another program, not one of Nestwright", path));
  requireVersion(path, bigEndian(header, 60, 4));

  const std::uint32_t stored = bigEndian(header, 16, 2);
  const std::int64_t pageBytes = stored == 1 ? 65536 : stored;
  const std::int64_t expected = pageBytes * bigEndian(header, 28, 4);
  const bool countIsValid = bigEndian(header, 24, 4) == bigEndian(header, 92, 4);
  if (countIsValid && fileSize(path) < expected && !besideLog)
    throw DamagedFile(
        fmt::format("{}: the file is cut off: {} of {} bytes are there; `nestwright db salvage` "
                    "copies what can be read into a new file; or restore a backup",
                    path, fileSize(path), expected));
}

/// Reads the schema, and small files through. Throws InputError for damage.
void requireSound(Database& database) {
  const std::string& path = database.path();
  requireVersion(path, database.integer("PRAGMA user_version"));
  if (isOfBeforeTheRelease(database))
    throw InputError(fmt::format(
        "{0}: the file was written by a Nestwright from before the first release, 0.1.0, and files "
        "of that time are not read any more; with the program that wrote it, `nestwright export "
        "{0} --output records.json` takes its records out, and `nestwright import` takes them in",
        path));
  // Reading the schema parses it; an unreadable one is reported here.
  const SchemaDifference difference = schemaDifference(database);
  if (!difference.unreadable.empty()) {
    const std::int64_t version = database.integer("PRAGMA user_version");
    if (version > schemaVersion())
      throw InputError(
          fmt::format("{}: the file has version {}, and this program knows versions up "
                      "to {} and cannot read it: {}; open it with a newer Nestwright",
                      path, version, schemaVersion(), difference.unreadable.front()));
    throw InputError(fmt::format("{}: the file is damaged, or was made to look like one of "
                                 "Nestwright: {}; restore a backup",
                                 path, difference.unreadable.front()));
  }
  // What is not ours must not be computed, as checking its constraints and indexes would.
  if (!difference.foreign.empty() || fileSize(path) > kThoroughBytes) return;
  const std::vector<std::string> problems = sqlite::integrityProblems(database, true);
  if (!problems.empty())
    throw DamagedFile(
        fmt::format("{}: the file is damaged ({}); `nestwright db salvage` copies what "
                    "can be read into a new file; or restore a backup",
                    path, problems.front()));
}

/// Throws ReadOnlyFile where nothing must be written.
void requireWritable(Database& database) {
  if (const std::string reason = readOnlyReason(database); !reason.empty())
    throw ReadOnlyFile(reason);
}

/// Something else whenever the file was written to.
auto stampOf(const std::string& path) {
  struct stat status {};
  (void)stat(path.c_str(), &status);
  return std::tuple(status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

/// Looks without a trace at a file that nobody has open. False when someone has, after all.
bool inspectFrozen(const std::string& path, OpenMode mode) {
  const auto stamp = stampOf(path);
  try {
    Database probe(path, Access::Frozen);
    requireOurHeader(path, readHeader(probe), hasLog(path));
    if (hasLog(path)) return false;
    requireSound(probe);
    if (mode != OpenMode::ReadOnly) requireWritable(probe);
    return true;
  } catch (const Error&) {
    // What looks like damage may be a writer that has just begun to change the file, or changed it
    // meanwhile.
    if (hasLog(path) || stampOf(path) != stamp) return false;
    throw;
  }
}

} // namespace

std::string readOnlyPlace(const std::string& path) {
  if (writable(path)) return {};
  return fmt::format("{}: the file or its folder is read-only; make it writable, or work on a copy",
                     path);
}

namespace {

/// How a reader gets at the file. One that may write does so only to tidy up when it is the last to
/// close; its statements cannot.
Access accessFor(const std::string& path, OpenMode mode) {
  const std::string readOnly = readOnlyPlace(path);
  if (readOnly.empty()) return Access::ReadWrite;
  if (mode != OpenMode::ReadOnly) throw ReadOnlyFile(readOnly);
  return hasLog(path) ? Access::Read : Access::Frozen;
}

/// The journal that the file system allows.
const char* journalOf(const std::string& path) {
  return allowsLog(path) ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = TRUNCATE";
}

void setUp(Database& database, OpenMode mode) {
  // A window has a dozen connections for reading, and the system remembers pages for all of them.
  const int cacheKibibytes = mode == OpenMode::ReadOnly ? 8 << 10 : 32 << 10;
  database.execute(
      fmt::format("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -{}",
                  cacheKibibytes));
  if (mode == OpenMode::ReadOnly) {
    database.execute("PRAGMA query_only = ON");
    return;
  }
  // FULL: a commit returns when the log is on the disk, so that even a power cut loses no record
  // that was announced. One flush per commit, some milliseconds at worst.
  database.execute(journalOf(database.path()));
  database.execute("PRAGMA synchronous = FULL");
  // A record that was measured is worth waiting for, behind another's long transaction.
  constexpr std::chrono::seconds kPatience{30};
  database.waitFor(kPatience);
}

/// Takes a file that was made elsewhere out of the mode that its new place does not allow. Somebody
/// who has it open keeps it as it is.
void leaveLog(const std::string& path) {
  if (allowsLog(path) || hasLog(path) || !writable(path)) return;
  try {
    Database database(path, Access::ReadWrite);
    constexpr std::size_t kReadFormat = 19, kLogFormat = 2; // of the header
    const std::string header = readHeader(database);
    if (header.size() > kReadFormat && std::size_t(header[kReadFormat]) == kLogFormat)
      database.execute(journalOf(path));
  } catch (const Error&) {
    // Whatever it is, whoever opens the file next tells it.
  }
}

void removeDatabase(const std::string& path) {
  for (const char* suffix : {"", "-journal", "-wal", "-shm"})
    unlink((path + suffix).c_str());
}

} // namespace

void fillNewFile(const std::string& path) {
  Database database(path, Access::Create);
  database.execute(fmt::format("PRAGMA application_id = {}", kApplicationId));
  migrate(database, migrations());
  renewGeneration(database);
  database.execute(journalOf(path));
}

namespace {

/// Makes the file under another name first: at every moment it is absent or complete.
void createDatabaseFile(const std::string& path) {
  const std::string folder = folderOf(path);
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    throw InputError(fmt::format("{}: cannot make the database: {}", path, std::strerror(errno)));
  const std::string fresh = fmt::format("{}.new-{}", path, gettid());
  removeDatabase(fresh);
  try {
    close(makeOwnFile(fresh)); // so that SQLite finds it and makes none
    fillNewFile(fresh);
    syncPath(fresh);
    // A file that another program has made meanwhile stays, and is used.
    if (renameNew(fresh, path) != 0) {
      if (errno != EEXIST)
        throw SystemError(
            fmt::format("{}: cannot make the database: {}", path, std::strerror(errno)));
      removeDatabase(fresh);
    }
    syncPath(folder);
  } catch (...) {
    removeDatabase(fresh);
    throw;
  }
}

/// Reads the file without the log beside it.
Database connectWithoutLog(const std::string& path) {
  Database database(path, Access::Frozen);
  requireOurHeader(path, readHeader(database), false);
  requireSound(database);
  setUp(database, OpenMode::ReadOnly);
  return database;
}

/// Reading a log takes an index beside it, which has to be there or to be written.
void requireReadableLog(const std::string& path) {
  const std::string log = realPath(path) + "-wal";
  if (fileSize(log) <= 0 || writable(path) || fileSize(realPath(path) + "-shm") >= 0) return;
  throw InputError(fmt::format("{}: its newest records are in {}, which cannot be read where "
                               "nothing can be written; copy both files to another folder, and "
                               "open it there",
                               path, log));
}

Database connectForReading(const std::string& path) {
  // Left where it is: reading leaves no trace.
  if (hasLog(path) && hasForeignLog(path)) return connectWithoutLog(path);
  requireReadableLog(path);
  const bool inspected = !hasLog(path) && inspectFrozen(path, OpenMode::ReadOnly);
  if (inspected) leaveLog(path);
  Database database(path, accessFor(path, OpenMode::ReadOnly));
  leaveLogAlone(database);
  if (!inspected) {
    requireOurHeader(path, readHeader(database), true);
    requireSound(database);
  }
  // A file of an older version is not brought up to date by looking at it.
  setUp(database, OpenMode::ReadOnly);
  return database;
}

Database connectForWriting(const std::string& path) {
  setForeignLogAside(path);
  const bool inspected = !hasLog(path) && inspectFrozen(path, OpenMode::ReadWrite);
  if (inspected) leaveLog(path);
  Database database(path, accessFor(path, OpenMode::ReadWrite));
  if (!inspected) {
    // Until the file is known to be sound and ours, closing it must not work the log into it.
    sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    requireOurHeader(path, readHeader(database), true);
    requireSound(database);
    requireWritable(database);
    sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
  }
  keepGenerations(database);
  if (database.integer("PRAGMA user_version") < schemaVersion()) migrate(database, migrations());
  setUp(database, OpenMode::ReadWrite);
  return database;
}

Database connect(const std::string& path, OpenMode mode) {
  Database database =
      mode == OpenMode::ReadOnly ? connectForReading(path) : connectForWriting(path);
  database.integer("PRAGMA schema_version"); // from here on it holds its place against others
  return database;
}

} // namespace

sqlite::Database openDatabaseFile(const std::string& path, OpenMode mode) {
  if (mode == OpenMode::Create && !std::filesystem::exists(std::filesystem::symlink_status(path)))
    createDatabaseFile(path);
  // A new file that another program put in its place meanwhile is opened instead.
  constexpr int kTries = 100;
  for (int i = 1;; ++i) {
    requireReadableFile(path);
    try {
      Database database = connect(path, mode);
      addRegularExpressions(database);
      if (database.isInPlace() || i == kTries) return database;
    } catch (const FileMoved&) {
      if (i == kTries) throw;
    }
  }
}

} // namespace nestwright
