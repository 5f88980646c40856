#include "core/record/sql/sqlite.h"

#include "core/record/sql/damaged_file.h"
#include "core/record/sql/file_holders.h"
#include "core/record/sql/file_trouble.h"
#include "core/record/sql/query_stopped.h"
#include "core/support/error.h"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <thread>

namespace nestwright::sqlite {

namespace {

/// A file name as SQLite URI: everything but the plainest characters escaped.
std::string uri(const std::string& path, const char* parameters) {
  std::string text = "file:";
  for (const unsigned char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '_' || c == '-';
    text += plain ? std::string(1, char(c)) : fmt::format("%{:02x}", c);
  }
  return text + parameters;
}

/// The system's reasons for a failed write that go when space is made: a quota and a limit on the
/// size of files, too.
bool isFull(int systemError) {
  return systemError == ENOSPC || systemError == EDQUOT || systemError == EFBIG;
}

[[noreturn]] void failFull(const std::string& path, const char* what) {
  throw FileTrouble(
      fmt::format("{}: {}; what was stored before is safe; free some space and go on", path, what));
}

int lastErrorOf(sqlite3* handle, int pointerControl) {
  sqlite3_file* file = nullptr;
  int error = 0;
  if (sqlite3_file_control(handle, "main", pointerControl, &file) == SQLITE_OK && file != nullptr &&
      file->pMethods != nullptr)
    file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &error);
  return error;
}

/// The system's reason. SQLite forgets it where it tidies up before it reports, but its files do
/// not.
int systemErrorOf(sqlite3* handle) {
  if (const int error = sqlite3_system_errno(handle); error != 0) return error;
  if (const int error = lastErrorOf(handle, SQLITE_FCNTL_JOURNAL_POINTER); error != 0) return error;
  return lastErrorOf(handle, SQLITE_FCNTL_FILE_POINTER);
}

[[noreturn]] void failIo(sqlite3* handle, int code, const std::string& path) {
  const int error = systemErrorOf(handle);
  if (isFull(error))
    failFull(path, error == ENOSPC ? "the disk is full" : "no more space is allowed on the disk");
  throw SystemError(
      fmt::format("{}: the file cannot be read or written ({} {}: {}); what was stored "
                  "before is safe",
                  path, sqlite3_errstr(code), code, std::strerror(error)));
}

/// `given`: the path, where the file is not open yet.
[[noreturn]] void failAt(sqlite3* handle, int code, const std::string& given) {
  const char* file = sqlite3_db_filename(handle, "main");
  std::string path = file != nullptr && *file != '\0' ? file : given;
  if (path.empty()) path = "the database";
  const std::string reason = sqlite3_errmsg(handle);
  switch (code & 0xff) {
  case SQLITE_CORRUPT:
    throw DamagedFile(
        fmt::format("{}: the file is damaged: a part of it cannot be made sense of; "
                    "`nestwright db salvage` copies what can be read into a new file, "
                    "`nestwright db check` tells where the damage is; or restore a "
                    "backup",
                    path));
  case SQLITE_NOTADB:
    throw InputError(fmt::format("{}: the file is damaged: its beginning is not that of a "
                                 "Nestwright database; restore a backup",
                                 path));
  case SQLITE_CONSTRAINT:
    throw InputError(fmt::format("{}: the row does not fit the file: {}", path, reason));
  case SQLITE_READONLY:
    if (code == SQLITE_READONLY_DBMOVED) throw FileMoved(path);
    throw InputError(fmt::format("{}: the file or its folder cannot be written", path));
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    throw FileTrouble(fmt::format("{}: {} holds the file and did not let go of it; wait until that "
                                  "has ended, or end it, and try again",
                                  path, otherHolders(path)));
  case SQLITE_FULL:
    failFull(path, "the disk is full");
  case SQLITE_IOERR:
    failIo(handle, code, path);
  case SQLITE_INTERRUPT:
    throw QueryStopped(fmt::format("{}: reading was stopped", path));
  case SQLITE_CANTOPEN:
    throw SystemError(fmt::format("{}: the file cannot be opened: {}", path,
                                  std::strerror(systemErrorOf(handle))));
  case SQLITE_NOMEM:
    throw SystemError(fmt::format("{}: out of memory", path));
  default:
    throw SystemError(fmt::format("{}: {}", path, reason));
  }
}

void check(sqlite3_stmt* statement, int code) {
  if (code != SQLITE_OK) fail(sqlite3_db_handle(statement), code);
}

} // namespace

void fail(sqlite3* handle, int code) {
  failAt(handle, code, {});
}

Statement::~Statement() {
  if (handle_ == nullptr) return;
  if (owned_) {
    sqlite3_finalize(handle_);
  } else {
    sqlite3_reset(handle_);
    sqlite3_clear_bindings(handle_);
  }
}

Statement& Statement::bindAt(int index, std::int64_t value) {
  check(handle_, sqlite3_bind_int64(handle_, index, value));
  return *this;
}

Statement& Statement::bindAt(int index, double value) {
  check(handle_, sqlite3_bind_double(handle_, index, value));
  return *this;
}

Statement& Statement::bindAt(int index, std::nullptr_t) {
  check(handle_, sqlite3_bind_null(handle_, index));
  return *this;
}

Statement& Statement::bindAt(int index, std::string_view text) {
  // A null pointer would bind NULL instead of the empty text.
  check(handle_, sqlite3_bind_text64(handle_, index, text.data() != nullptr ? text.data() : "",
                                     text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bindBlob(int index, std::string_view bytes) {
  check(handle_, sqlite3_bind_blob64(handle_, index, bytes.data() != nullptr ? bytes.data() : "",
                                     bytes.size(), SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bindColumn(int index, const Statement& row, int column) {
  check(handle_, sqlite3_bind_value(handle_, index, sqlite3_column_value(row.handle_, column)));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  fail(sqlite3_db_handle(handle_), sqlite3_extended_errcode(sqlite3_db_handle(handle_)));
}

void Statement::run() {
  while (step()) {
  }
  reset();
}

void Statement::reset() {
  sqlite3_reset(handle_);
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_, column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(handle_, column);
}

std::string_view Statement::view(int column) const {
  // Order matters: the conversion happens in the pointer call, the size call then matches it.
  const bool blob = isBlob(column);
  const void* data = blob ? sqlite3_column_blob(handle_, column)
                          : static_cast<const void*>(sqlite3_column_text(handle_, column));
  const int size = sqlite3_column_bytes(handle_, column);
  return data != nullptr ? std::string_view(static_cast<const char*>(data), std::size_t(size))
                         : std::string_view();
}

bool Statement::isNull(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

bool Statement::isBlob(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_BLOB;
}

void Database::Close::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

void Database::Finalize::operator()(sqlite3_stmt* handle) const {
  sqlite3_finalize(handle);
}

int Database::waitMore(void* wait, int tries) {
  // Shorter naps than SQLite's own: an import leaves only moments between its transactions.
  constexpr std::chrono::milliseconds kNap{1};
  auto* waiting = static_cast<Wait*>(wait);
  const auto now = std::chrono::steady_clock::now();
  if (tries == 0) waiting->since = now;
  if (now - waiting->since >= waiting->limit) return 0;
  std::this_thread::sleep_for(kNap);
  return 1;
}

Database::Database(const std::string& path, Access access)
    : path_(path), wait_(std::make_unique<Wait>()) {
  int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const char* parameters = "";
  switch (access) {
  case Access::ReadWrite:
    flags |= SQLITE_OPEN_READWRITE;
    break;
  case Access::Create:
    flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    break;
  case Access::Read:
    flags |= SQLITE_OPEN_READONLY;
    break;
  case Access::Frozen:
    flags |= SQLITE_OPEN_READONLY;
    parameters = "?immutable=1";
    break;
  }
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(uri(path, parameters).c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (handle == nullptr) throw SystemError(fmt::format("{}: out of memory", path));
  if (code != SQLITE_OK) failAt(handle, code, path);
  sqlite3_busy_handler(handle, waitMore, wait_.get());
  // A file from elsewhere must not be able to run code or outgrow our tables.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr); // temporary ones still work
}

Database::~Database() {
  if (!handle_ || !companion_) return;
  cache_.clear(); // a statement that was not read to its end would hold on to the log
  companion_->close(*this);
}

void Database::accompany(std::unique_ptr<Companion> companion) {
  companion_ = std::move(companion);
}

Statement Database::prepare(std::string_view sql) {
  auto found = cache_.find(sql);
  if (found != cache_.end() && sqlite3_stmt_busy(found->second.get()) == 0)
    return {found->second.get(), false};
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle(), sql.data(), int(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) fail(handle(), code);
  if (found != cache_.end()) return {statement, true}; // the cached one is in use further up
  cache_.emplace(std::string(sql), statement);
  return {statement, false};
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(handle(), code);
}

std::int64_t Database::integer(std::string_view sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::int64_t Database::lastInsertId() const {
  return sqlite3_last_insert_rowid(handle());
}

bool Database::isInPlace() const {
  int moved = 0;
  return sqlite3_file_control(handle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK ||
         moved == 0;
}

bool Database::inTransaction() const {
  return sqlite3_get_autocommit(handle()) == 0;
}

void Database::transaction(const std::function<void()>& body) {
  const bool outer = !inTransaction();
  // IMMEDIATE: a transaction that starts as a reader cannot always become a writer.
  prepare(outer ? "BEGIN IMMEDIATE" : "SAVEPOINT inner").run();
  try {
    if (outer && !isInPlace()) throw FileMoved(path_);
    if (outer && companion_) companion_->begin(*this);
    body();
    if (outer && companion_) companion_->end(*this);
    prepare(outer ? "COMMIT" : "RELEASE inner").run();
  } catch (...) {
    rollBack(outer);
    throw;
  }
  if (outer && companion_) companion_->committed(*this);
}

void Database::rollBack(bool outer) {
  // After a full disk or an I/O error SQLite may have undone everything by itself.
  if (inTransaction())
    sqlite3_exec(handle(), outer ? "ROLLBACK" : "ROLLBACK TO inner; RELEASE inner", nullptr,
                 nullptr, nullptr);
  if (forget_) forget_();
}

Snapshot::Snapshot(Database& database) : database_(database.inTransaction() ? nullptr : &database) {
  if (database_ != nullptr) database.prepare("BEGIN").run();
}

Snapshot::~Snapshot() {
  // There is nothing to undo, so ending it either way is the same, and this one cannot fail.
  if (database_ != nullptr)
    sqlite3_exec(database_->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

} // namespace nestwright::sqlite
