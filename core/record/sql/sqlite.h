#pragma once
/// \file A thin RAII layer over SQLite's C interface. Errors become ours, with the file's name:
/// damage and violated constraints are `InputError`, what passes (a full disk, another writer) is
/// `FileTrouble`, everything else that the machine did is `SystemError`.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

struct sqlite3;
struct sqlite3_stmt;

namespace nestwright::sqlite {

/// A file begins with a header of so many bytes.
inline constexpr std::size_t kHeaderBytes = 100;

/// A prepared statement, borrowed from its database's cache. Resets itself when it goes, so that no
/// reader holds on to an old state of the file.
class Statement {
 public:
  Statement(sqlite3_stmt* handle, bool owned) : handle_(handle), owned_(owned) {}
  ~Statement();
  Statement(Statement&& other) noexcept : handle_(other.handle_), owned_(other.owned_) {
    other.handle_ = nullptr;
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Binds the parameters in order, from the first on.
  template <class... Values>
  Statement& bind(const Values&... values) {
    int index = 0;
    (bindAt(++index, values), ...);
    return *this;
  }
  Statement& bindAt(int index, std::int64_t value);
  Statement& bindAt(int index, int value) { return bindAt(index, std::int64_t(value)); }
  Statement& bindAt(int index, double value);
  Statement& bindAt(int index, std::nullptr_t);
  /// The text or blob is copied, any bytes allowed.
  Statement& bindAt(int index, std::string_view text);
  Statement& bindAt(int index, const std::string& text) {
    return bindAt(index, std::string_view(text));
  }
  Statement& bindAt(int index, const char* text) { return bindAt(index, std::string_view(text)); }
  Statement& bindBlob(int index, std::string_view bytes);
  /// Binds what stands in a column of another statement's row, of the same type.
  Statement& bindColumn(int index, const Statement& row, int column);

  /// Advances to the next row; false at the end.
  bool step();
  /// Runs to the end and resets, so that the statement can be bound and run again.
  void run();
  void reset();

  std::int64_t integer(int column) const;
  double real(int column) const;
  /// Text or blob; the view ends with the next step.
  std::string_view view(int column) const;
  std::string text(int column) const { return std::string(view(column)); }
  bool isNull(int column) const;
  bool isBlob(int column) const;

 private:
  sqlite3_stmt* handle_;
  bool owned_;
};

/// How a connection reaches the file.
enum class Access : std::uint8_t {
  ReadWrite, // an existing file
  Create,    // a new file
  Read,      // an existing file; needs the -wal and -shm files or the right to make them
  Frozen     // an existing file that nobody writes; touches no other file
};

class Database;

/// What goes along with the transactions of a connection, and with its end; see
/// generation_keeper.h.
class Companion {
 public:
  virtual ~Companion() = default;
  /// Within a transaction, before its body. When it throws, nothing is written.
  virtual void begin(Database& database) = 0;
  /// After the body, before the commit.
  virtual void end(Database& database) = 0;
  virtual void committed(Database& database) noexcept = 0;
  /// Before the connection closes.
  virtual void close(Database& database) noexcept = 0;
};

/// One connection. Thread-compatible. Triggers and views of the file are never run.
class Database {
 public:
  Database(const std::string& path, Access access);
  ~Database();
  Database(Database&&) noexcept = default;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::string& path() const { return path_; }
  sqlite3* handle() const { return handle_.get(); }
  /// How long a statement waits for other programs before it fails; 10 s at first.
  void waitFor(std::chrono::milliseconds limit) { wait_->limit = limit; }
  std::chrono::milliseconds patience() const { return wait_->limit; }
  /// Calls it from now on with every outermost transaction, and at the end.
  void accompany(std::unique_ptr<Companion> companion);
  /// Whether the path still leads to the file that was opened: another may have taken its place.
  bool isInPlace() const;

  /// The cached statement with this text, prepared on first use.
  Statement prepare(std::string_view sql);
  /// Runs one or more statements without parameters.
  void execute(const std::string& sql);
  /// First column of the first row, e.g. of a pragma.
  std::int64_t integer(std::string_view sql);
  std::int64_t lastInsertId() const;

  /// Runs `body` within a write transaction, or within a savepoint of the one that is open. When
  /// `body` throws, what it did is undone and the error goes on. Throws FileTrouble when the file
  /// is no longer in its place, where what is stored would be lost with it.
  void transaction(const std::function<void()>& body);
  bool inTransaction() const;
  /// Calls it from now on whenever a transaction or an inner one was undone, and with it rows that
  /// somebody may remember. It must not throw.
  void onRollBack(std::function<void()> forget) { forget_ = std::move(forget); }

 private:
  void rollBack(bool outer);
  struct Wait {
    std::chrono::milliseconds limit{10'000};
    std::chrono::steady_clock::time_point since{};
  };
  static int waitMore(void* wait, int tries);
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const;
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::string path_;
  std::unique_ptr<Wait> wait_; // the connection knows its address
  std::unique_ptr<sqlite3, Close> handle_;
  std::unordered_map<std::string, std::unique_ptr<sqlite3_stmt, Finalize>, Hash, std::equal_to<>>
      cache_;
  std::unique_ptr<Companion> companion_; // may be null
  std::function<void()> forget_;         // of onRollBack(); may be null
};

/// While it lives, everything read through the connection is of one moment.
class Snapshot {
 public:
  explicit Snapshot(Database& database);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 private:
  Database* database_; // null within a transaction, which is a snapshot itself
};

/// Throws what the result code means for the file that `handle` has open.
[[noreturn]] void fail(sqlite3* handle, int code);

} // namespace nestwright::sqlite
