#include "core/record/file/generation_keeper.h"

#include "core/record/file/file_system.h"
#include "core/record/file/generation.h"
#include "core/record/sql/file_holders.h"
#include "core/record/sql/file_trouble.h"
#include "core/support/own_file.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <utility>

namespace nestwright {

namespace {

using sqlite::Database;
using sqlite::Statement;

/// A file of SQLite's own. To open and close it ourselves would drop the locks of every other
/// connection in this process.
sqlite3_file* fileOf(const Database& database, int which) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(database.handle(), "main", which, &file);
  return file != nullptr && file->pMethods != nullptr ? file : nullptr;
}

ReadAt reader(sqlite3_file* file) {
  return [file](std::int64_t offset, char* to, std::size_t bytes) {
    return file != nullptr && file->pMethods->xRead(file, to, int(bytes), offset) == SQLITE_OK;
  };
}

std::int64_t sizeOf(sqlite3_file* file) {
  sqlite3_int64 bytes = 0;
  if (file != nullptr) file->pMethods->xFileSize(file, &bytes);
  return bytes;
}

/// The log of another connection, or of nobody. It holds no locks, so that it may be opened here.
class LogFile {
 public:
  explicit LogFile(const std::string& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {}
  ~LogFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  LogChain chain() const {
    struct stat status {};
    if (descriptor_ < 0 || fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return {};
    return readLogChain(
        [this](std::int64_t offset, char* to, std::size_t bytes) {
          return pread(descriptor_, to, bytes, offset) == ssize_t(bytes);
        },
        std::int64_t(status.st_size));
  }

 private:
  int descriptor_;
};

/// The page of the generation; 0 where somebody took the table away.
std::int64_t pageOfGeneration(Database& database) {
  return database.integer(
      "SELECT rootpage FROM main.sqlite_schema WHERE type = 'table' AND name = 'generation'");
}

std::optional<Generation> storedGeneration(Database& database) {
  Statement row = database.prepare("SELECT value FROM main.generation WHERE id = 1");
  return row.step() ? decodeGeneration(row.view(0)) : std::nullopt;
}

void store(Database& database, const Generation& generation) {
  // Not REPLACE, which would change what the last inserted row is.
  Statement update = database.prepare("UPDATE main.generation SET value = ? WHERE id = 1");
  const bool there = storedGeneration(database).has_value();
  if (there) return update.bindBlob(1, encode(generation)).run();
  Statement insert =
      database.prepare("INSERT OR REPLACE INTO main.generation (id, value) VALUES (1, ?)");
  insert.bindBlob(1, encode(generation)).run();
}

bool usesLog(Database& database) {
  Statement mode = database.prepare("PRAGMA main.journal_mode");
  return mode.step() && mode.view(0) == "wal";
}

void setCheckpointOnClose(Database& database, bool on) {
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on ? 0 : 1, nullptr);
}

/// Works the log into the file and empties it, as far as nobody is in the way.
void emptyLog(Database& database) noexcept {
  constexpr std::chrono::milliseconds kShort{100};
  database.waitFor(kShort);
  sqlite3_wal_checkpoint_v2(database.handle(), "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr,
                            nullptr);
}

class Keeper final : public sqlite::Companion {
 public:
  explicit Keeper(Database& database)
      : others_(database.integer(kWritesOfOthers)), seen_(inFile(database)) {}

  void begin(Database& database) override {
    usesLog_ = usesLog(database);
    if (!usesLog_) return;
    beginsLog_ = sizeOf(fileOf(database, SQLITE_FCNTL_JOURNAL_POINTER)) == 0;
    requireSameFile(database);
  }

  void end(Database& database) override {
    wrote_ = true;
    if (page(database) == 0) return;
    latest_ = nextGeneration(storedGeneration(database));
    store(database, *latest_);
  }

  void committed(Database& database) noexcept override {
    // The first transaction goes into the file at once: every copy that was made of it before is
    // told from it then.
    if (!usesLog_ || !beginsLog_ || std::exchange(settled_, true)) return;
    const std::chrono::milliseconds patience = database.patience();
    emptyLog(database);
    database.waitFor(patience);
  }

  void close(Database& database) noexcept override {
    try {
      if (database.inTransaction() || !usesLog(database)) return;
      bool same = database.isInPlace();
      if (same) {
        constexpr std::chrono::milliseconds kShort{100};
        database.waitFor(kShort);
        database.prepare("BEGIN IMMEDIATE").run();
        try {
          requireSameFile(database);
        } catch (const FileMoved&) {
          same = false;
        }
        database.prepare("ROLLBACK").run();
      }
      setCheckpointOnClose(database, same);
      if (same && wrote_) emptyLog(database); // readers that stay do not
    } catch (const FileTrouble&) {
      // Somebody else writes, and closes later than this connection.
    } catch (const std::exception&) {
      setCheckpointOnClose(database, false);
    }
  }

 private:
  /// It stays where it is, once the table is there.
  std::int64_t page(Database& database) {
    if (page_ == 0) page_ = pageOfGeneration(database);
    return page_;
  }

  /// The generation that the file itself has, whatever is in the log.
  std::optional<Generation> inFile(Database& database) {
    if (page(database) == 0) return std::nullopt;
    std::array<char, kGenerationBytes> bytes{};
    const std::int64_t end = page_ * database.integer("PRAGMA main.page_size");
    const ReadAt read = reader(fileOf(database, SQLITE_FCNTL_FILE_POINTER));
    if (!read(end - std::int64_t(bytes.size()), bytes.data(), bytes.size())) return std::nullopt;
    return decodeGeneration({bytes.data(), bytes.size()});
  }

  /// Within a transaction, so that nobody begins the log anew meanwhile.
  void requireSameFile(Database& database) {
    const std::int64_t others = database.integer(kWritesOfOthers);
    const bool changedByOthers = std::exchange(others_, others) != others;
    const std::optional<Generation> found = inFile(database);
    if (found && seen_ && found->now == seen_->now) return;
    if (seen_ && !found) throw FileMoved(database.path());
    if (seen_ && !isKnown(database, *found, changedByOthers)) throw FileMoved(database.path());
    seen_ = found;
  }

  /// Whether the file can have got this generation from its log.
  bool isKnown(Database& database, const Generation& found, bool changedByOthers) const {
    if (latest_ && found.now == latest_->now) return true;
    sqlite3_file* const log = fileOf(database, SQLITE_FCNTL_JOURNAL_POINTER);
    const LogChain chain = readLogChain(reader(log), sizeOf(log));
    // Others may have worked in what they wrote, and emptied the log.
    return chain.page == 0 ? changedByOthers : chain.all.contains(found.now);
  }

  static constexpr const char* kWritesOfOthers = "PRAGMA main.data_version";
  std::int64_t page_ = 0;                   // of the generation
  std::int64_t others_;                     // another number whenever others have written
  std::optional<Generation> seen_, latest_; // in the file; the last one written here
  bool usesLog_ = false, beginsLog_ = false, settled_ = false, wrote_ = false;
};

class Reader final : public sqlite::Companion {
 public:
  void begin(Database&) override {}
  void end(Database&) override {}
  void committed(Database&) noexcept override {}
  /// An empty log, which the reader itself may have made, goes.
  void close(Database& database) noexcept override {
    const bool empty = sizeOf(fileOf(database, SQLITE_FCNTL_JOURNAL_POINTER)) == 0;
    setCheckpointOnClose(database, empty && database.isInPlace());
  }
};

/// Gives the log a name that is free, and returns that; nothing when another program was quicker.
std::optional<std::string> moveAside(const std::string& log) {
  const std::string base = fmt::format("{}.of-another-file-{:%Y-%m-%dT%H-%M-%S}", log,
                                       fmt::localtime(std::time(nullptr)));
  std::string aside = base;
  for (int i = 2; renameNew(log, aside) != 0; ++i) {
    if (errno == ENOENT) return std::nullopt;
    if (errno != EEXIST)
      throw SystemError(
          fmt::format("{}: is the log of another file, and cannot be moved out of the way: {}", log,
                      std::strerror(errno)));
    aside = fmt::format("{}-{}", base, i);
  }
  return aside;
}

} // namespace

bool hasForeignLog(const std::string& path) {
  const std::string log = realPath(path) + "-wal";
  // Somebody may begin the log anew, and work it in, between two looks.
  constexpr int kTries = 5;
  std::optional<LogChain> before;
  for (int i = 0; i < kTries; ++i) {
    const Database probe(path, sqlite::Access::Frozen);
    const ReadAt file = reader(fileOf(probe, SQLITE_FCNTL_FILE_POINTER));
    std::string header(sqlite::kHeaderBytes, '\0');
    if (!file(0, header.data(), header.size())) return false; // not even a file of SQLite
    const LogChain chain = LogFile(log).chain();
    if (belongsTo(chain, header, file)) return false;
    const bool stood = before && before->salt == chain.salt && before->bytes == chain.bytes;
    if (stood) return true;
    before = chain;
  }
  return false; // somebody writes it all the time
}

std::optional<SetAsideLog> setForeignLogAside(const std::string& path, OpenMode mode) {
  if (mode == OpenMode::ReadOnly) return std::nullopt;
  const std::string real = realPath(path), log = real + "-wal";
  std::error_code unknown;
  if (std::filesystem::file_size(log, unknown) == 0 || unknown) return std::nullopt;
  const std::filesystem::file_status file = std::filesystem::status(real, unknown);
  const bool isForeign = std::filesystem::is_regular_file(file)
                             ? access(real.c_str(), R_OK) == 0 && hasForeignLog(path)
                             : mode == OpenMode::Create && !std::filesystem::exists(file);
  if (!isForeign) return std::nullopt; // where nothing is, what is made now is another file
  // Such a file is only read, without the log.
  if (access(folderOf(real).c_str(), W_OK | X_OK) != 0) return std::nullopt;
  if (isHeld(real))
    throw FileTrouble(fmt::format("{}: its contents were replaced while {} had it open; let that "
                                  "end, and open it again. Nothing of either is lost",
                                  path, otherHolders(real, false)));
  const std::optional<std::string> name = moveAside(log);
  if (!name) return std::nullopt;
  unlink((real + "-shm").c_str()); // the index of that log
  return SetAsideLog{log, *name};
}

std::string describe(const SetAsideLog& log) {
  return fmt::format("{} was written on another file than the one that is there now, so it is not "
                     "used, and has become {}. It holds what was stored last in that other file: "
                     "put the log back beside that one, under the name that it had, to get it",
                     log.log, log.name);
}

void keepGenerations(sqlite::Database& database) {
  database.accompany(std::make_unique<Keeper>(database));
}

void leaveLogAlone(sqlite::Database& database) {
  setCheckpointOnClose(database, false);
  database.accompany(std::make_unique<Reader>());
}

void renewGeneration(sqlite::Database& database) {
  if (pageOfGeneration(database) == 0) return;
  database.transaction([&] { store(database, nextGeneration(std::nullopt)); });
}

} // namespace nestwright
