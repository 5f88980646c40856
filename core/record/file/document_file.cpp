#include "core/record/file/document_file.h"

#include "core/record/file/database_file.h"
#include "core/record/file/generation_keeper.h"
#include "core/record/sql/file_holders.h"
#include "core/support/draft_file.h"
#include "core/support/error.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>

namespace nestwright {
namespace {

using sqlite::Statement;

/// Small enough for progress to move several times per second on a slow disk.
constexpr int kPagesPerStep = 256;

/// False when `progress` did not want to go on.
bool copyPages(sqlite3* from, sqlite::Database& to, const std::function<bool(double)>& progress) {
  sqlite3_backup* backup = sqlite3_backup_init(to.handle(), "main", from, "main");
  if (!backup) sqlite::fail(to.handle(), sqlite3_errcode(to.handle()));
  int code = SQLITE_OK;
  bool wanted = true;
  while (wanted && code == SQLITE_OK) {
    code = sqlite3_backup_step(backup, kPagesPerStep);
    const int all = sqlite3_backup_pagecount(backup), left = sqlite3_backup_remaining(backup);
    if (progress && (code == SQLITE_OK || code == SQLITE_DONE))
      wanted = progress(all > 0 ? double(all - left) / all : 1);
  }
  sqlite3_backup_finish(backup);
  if (wanted && code != SQLITE_DONE) sqlite::fail(to.handle(), code);
  return wanted;
}

} // namespace

std::optional<std::string> kept(const std::string& path, std::string_view key) {
  sqlite::Database database = openDatabaseFile(path, OpenMode::ReadOnly);
  Statement find = database.prepare("SELECT value FROM kept WHERE key = ?");
  find.bindAt(1, key);
  if (!find.step()) return std::nullopt;
  return find.text(0);
}

std::map<std::string, std::string> keptUnder(const std::string& path, std::string_view beginning) {
  sqlite::Database database = openDatabaseFile(path, OpenMode::ReadOnly);
  std::map<std::string, std::string> found;
  Statement find = database.prepare(
      "SELECT substr(key, length(?1) + 1), value FROM kept WHERE substr(key, 1, length(?1)) = ?1");
  find.bindAt(1, beginning);
  while (find.step())
    found.emplace(find.text(0), find.text(1));
  return found;
}

void keep(const std::string& path, std::string_view key, std::string_view value) {
  sqlite::Database database = openDatabaseFile(path, OpenMode::ReadWrite);
  database.transaction([&] {
    if (value.empty()) {
      Statement remove = database.prepare("DELETE FROM kept WHERE key = ?");
      remove.bindAt(1, key);
      return remove.run();
    }
    Statement save = database.prepare("INSERT OR REPLACE INTO kept (key, value) VALUES (?, ?)");
    save.bindAt(1, key);
    save.bindBlob(2, value);
    save.run();
  });
}

bool saveCopy(const std::string& from, const std::string& to,
              const std::function<bool(double)>& progress) {
  std::error_code ignored;
  if (std::filesystem::equivalent(from, to, ignored))
    throw InputError(fmt::format("{} is the document itself. Choose another name.", to));
  // Who has it open would go on writing to a file without a name.
  if (std::filesystem::exists(to, ignored) && !fileHolders(to).empty())
    throw InputError(fmt::format("{} is open in {}; close it there, or choose another name.", to,
                                 otherHolders(to, false)));
  sqlite::Database database = openDatabaseFile(from, OpenMode::ReadOnly);
  DraftFile part(to, "part");
  // A moment of the file, so that a session that goes on writing does not make it start again.
  const sqlite::Snapshot moment(database);
  database.integer("SELECT count(*) FROM sqlite_schema");
  {
    sqlite::Database copy(part.path(), sqlite::Access::Create);
    if (!copyPages(database.handle(), copy, progress)) return false;
    renewGeneration(copy);
  }
  part.takePlace(true);
  // What belonged to a replaced document goes with it.
  for (const char* companion : {"-wal", "-shm"})
    std::filesystem::remove(to + companion, ignored);
  return true;
}

} // namespace nestwright
