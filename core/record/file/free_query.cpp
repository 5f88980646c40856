#include "core/record/file/free_query.h"

#include "core/record/file/database_file.h"
#include "core/record/format/result_codec.h"
#include "core/record/sql/interruptible.h"
#include "core/record/sql/query_stopped.h"
#include "core/result/measure_result.h"
#include "core/support/error.h"
#include "core/support/text_limit.h"

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string_view>

namespace nestwright {

namespace {

using sqlite::Database;
using Clock = std::chrono::steady_clock;

/// What a statement may ask for. Between two questions whether to go on SQLite calls at most one
/// function, whose values these bound.
struct Limit {
  int which, most;
};
constexpr Limit kLimits[] = {
    {SQLITE_LIMIT_LENGTH, 16 << 20},     {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
    {SQLITE_LIMIT_EXPR_DEPTH, 200},      {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
    {SQLITE_LIMIT_COMPOUND_SELECT, 100}, {SQLITE_LIMIT_VDBE_OP, 1'000'000},
    {SQLITE_LIMIT_ATTACHED, 0},          {SQLITE_LIMIT_WORKER_THREADS, 0}};
/// More than before it began. SQLite counts for all connections of the process, of which others
/// may read meanwhile.
constexpr std::int64_t kMostMemory = 128 << 20;
constexpr int kLongestText = 4000; // letters of a cell
constexpr int kShownBytes = 32;    // of a blob

struct Meaning {
  const char* table;
  const char* meaning;
};
constexpr Meaning kMeanings[] = {
    {"records", "all records, in words and usual units"},
    {"record", "measured programs; verdict 0 is ok, 64 and above are forgotten; times in seconds"},
    {"task", "subgraphs on targets"},
    {"network", "networks"},
    {"network_task", "which tasks a network has, and how often (weight)"},
    {"target", "machines"},
    {"session", "runs of the search, and imports"},
    {"tally", "numbers of records by session, task and verdict, always up to date"},
    {"task_summary", "trials, errors and the best of each task, always up to date"},
    {"tag", "your words"},
    {"record_tag", "which records carry them"},
    {"error", "what failed records say; packed when long"},
    {"import_source", "log files that were imported"},
    {"import_problem", "lines of logs that are no records"},
};

/// The view for people. It reads no more of the tables than what is asked of it.
std::string recordsView() {
  std::string verdict = "CASE record.verdict % 64";
  for (int i = 0; i < kVerdictCount; ++i)
    verdict += fmt::format(" WHEN {} THEN '{}'", codeOf(Verdict(i)), name(Verdict(i)));
  return fmt::format(
      "CREATE TEMP VIEW records AS SELECT record.id AS record, record.session, "
      "session.title AS session_title, record.trial, record.task, task.name AS task_name, "
      "target.text AS target, {} END AS verdict, record.seconds * 1e3 AS ms, "
      "task.flops / record.seconds / 1e9 AS gflops, record.wall_seconds, "
      "(record.flags & 1) <> 0 AS verified, (record.flags & 4) <> 0 AS best, "
      "record.verdict >= {} AS forgotten FROM record "
      "LEFT JOIN session ON session.id = record.session LEFT JOIN task ON task.id = record.task "
      "LEFT JOIN target ON target.id = task.target",
      verdict, kForgottenCode);
}

/// Says yes to reading alone.
int authorize(void*, int action, const char*, const char* name, const char*, const char*) {
  switch (action) {
  case SQLITE_SELECT:
  case SQLITE_READ:
  case SQLITE_RECURSIVE:
    return SQLITE_OK;
  case SQLITE_FUNCTION: {
    const std::string_view function = name ? name : "";
    return function == "load_extension" || function == "fts3_tokenizer" ? SQLITE_DENY : SQLITE_OK;
  }
  default:
    return SQLITE_DENY;
  }
}

Database openFor(const std::string& path) {
  Database db = openDatabaseFile(path, OpenMode::ReadOnly);
  db.execute("PRAGMA query_only = OFF"); // for the view, which is of this connection alone
  db.execute(recordsView());
  db.execute("PRAGMA query_only = ON");
  for (const Limit& limit : kLimits)
    sqlite3_limit(db.handle(), limit.which, limit.most);
  return db;
}

[[noreturn]] void refuse(sqlite3* handle, const std::string& sql) {
  std::string text = sqlite3_errmsg(handle);
  if (sqlite3_errcode(handle) == SQLITE_AUTH)
    text = "only SELECT is allowed here: nothing can be changed";
  else if (const int at = sqlite3_error_offset(handle); at >= 0)
    text += fmt::format(", at \"{}\"", sql.substr(std::size_t(at), 30));
  throw UsageError(text);
}

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Prepared = std::unique_ptr<sqlite3_stmt, Finalize>;

bool isBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n;") == std::string_view::npos;
}

Prepared prepare(sqlite3* handle, const std::string& sql) {
  if (isBlank(sql))
    throw UsageError("there is nothing to run; write for example SELECT count(*) FROM records");
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  if (sqlite3_prepare_v2(handle, sql.c_str(), int(sql.size()), &statement, &rest) != SQLITE_OK)
    refuse(handle, sql);
  Prepared prepared(statement);
  if (!statement) throw UsageError("there is nothing but a comment to run");
  // A comment may follow; another statement may not.
  sqlite3_stmt* second = nullptr;
  const int code = sqlite3_prepare_v2(handle, rest, -1, &second, nullptr);
  const Prepared other(second);
  if (code != SQLITE_OK || second) throw UsageError("one statement at a time, please");
  return prepared;
}

SqlCell cellOf(sqlite3_stmt* row, int column) {
  switch (sqlite3_column_type(row, column)) {
  case SQLITE_INTEGER:
    return std::int64_t(sqlite3_column_int64(row, column));
  case SQLITE_FLOAT:
    return sqlite3_column_double(row, column);
  case SQLITE_TEXT: {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
    std::string whole(text ? text : "", std::size_t(sqlite3_column_bytes(row, column)));
    if (whole.size() <= kLongestText) return whole;
    return std::string(beginning(whole, kLongestText)) + "…";
  }
  case SQLITE_BLOB: {
    const int size = sqlite3_column_bytes(row, column);
    if (size > kShownBytes) return fmt::format("<{} bytes>", size);
    const auto* bytes = static_cast<const std::uint8_t*>(sqlite3_column_blob(row, column));
    std::string text = "x'";
    for (int i = 0; i < size; ++i)
      text += fmt::format("{:02x}", bytes[i]);
    return text + "'";
  }
  default:
    return std::monostate();
  }
}

/// What the progress handler asks.
struct Watch {
  const FreeQueryOptions& options;
  Clock::time_point begin = Clock::now();
  std::int64_t memory = sqlite3_memory_used();
  bool late = false, large = false;

  bool goOn() {
    late = options.seconds > 0 &&
           std::chrono::duration<double>(Clock::now() - begin).count() > options.seconds;
    large = sqlite3_memory_used() - memory > kMostMemory;
    return !late && !large && (!options.goOn || options.goOn());
  }

  [[noreturn]] void fail() const {
    if (large)
      throw UsageError(fmt::format("it needs more than {} MB of memory and was stopped; ask for "
                                   "less at a time",
                                   kMostMemory >> 20));
    if (!late) throw QueryStopped("reading was stopped");
    throw UsageError(fmt::format("it took more than {:g} s and was stopped; ask for less, use an "
                                 "index, or raise the limit",
                                 options.seconds));
  }
};

} // namespace

std::string textOf(const SqlCell& cell) {
  struct Text {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const { return fmt::format("{:.9g}", number); }
    std::string operator()(const std::string& text) const { return text; }
  };
  return std::visit(Text(), cell);
}

FreeQuery runFreeQuery(const std::string& path, const std::string& sql,
                       const FreeQueryOptions& options,
                       const std::function<void(const std::vector<std::string>&)>& columns,
                       const std::function<bool(const std::vector<SqlCell>&)>& row) {
  Database db = openFor(path);
  sqlite3* const handle = db.handle();
  sqlite3_set_authorizer(handle, authorize, nullptr);
  const Prepared statement = prepare(handle, sql);
  if (!sqlite3_stmt_readonly(statement.get()))
    throw UsageError("only SELECT is allowed here: nothing can be changed");
  FreeQuery result;
  const int width = sqlite3_column_count(statement.get());
  for (int i = 0; i < width; ++i)
    result.columns.emplace_back(sqlite3_column_name(statement.get(), i));
  columns(result.columns);
  Watch watch{options};
  const sqlite::Interruptible guard(db, [&] { return watch.goOn(); });
  std::vector<SqlCell> cells;
  for (;;) {
    const int code = sqlite3_step(statement.get());
    if (code == SQLITE_DONE) return result;
    if (code == SQLITE_INTERRUPT || (code == SQLITE_ROW && !watch.goOn())) watch.fail();
    if (code != SQLITE_ROW) refuse(handle, sql);
    cells.clear();
    for (int i = 0; i < width; ++i)
      cells.push_back(cellOf(statement.get(), i));
    if (!row(cells)) {
      result.complete = false;
      return result;
    }
    ++result.rows;
  }
}

std::vector<FreeTable> freeTables(const std::string& path) {
  Database db = openFor(path);
  std::vector<FreeTable> tables;
  sqlite::Statement names =
      db.prepare("SELECT name FROM temp.sqlite_master WHERE type = 'view' UNION ALL SELECT name "
                 "FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'");
  while (names.step()) {
    FreeTable table{names.text(0), {}, {}};
    for (const Meaning& known : kMeanings)
      if (table.name == known.table) table.meaning = known.meaning;
    sqlite::Statement columns = db.prepare("SELECT name FROM pragma_table_info(?)");
    columns.bind(table.name);
    while (columns.step())
      table.columns.push_back(columns.text(0));
    tables.push_back(std::move(table));
  }
  // Those with a meaning first, in its order.
  const auto place = [](const FreeTable& table) {
    return std::find_if(std::begin(kMeanings), std::end(kMeanings),
                        [&](const Meaning& known) { return table.name == known.table; }) -
           std::begin(kMeanings);
  };
  std::stable_sort(tables.begin(), tables.end(),
                   [&](const FreeTable& a, const FreeTable& b) { return place(a) < place(b); });
  return tables;
}

const std::vector<FreeExample>& freeExamples() {
  static const std::vector<FreeExample> kExamples{
      {"The ten fastest of a task", "SELECT record, trial, ms, gflops FROM records\n"
                                    "WHERE task = 1 AND verdict = 'ok' ORDER BY ms LIMIT 10"},
      {"How many failed in which way, by task",
       "SELECT task_name, verdict, count(*) AS records FROM records\n"
       "WHERE verdict <> 'ok' GROUP BY task, verdict ORDER BY records DESC"},
      {"Records of each session, from the sums",
       "SELECT session, sum(records) AS records, sum(kernel_seconds) AS seconds\n"
       "FROM tally GROUP BY session"},
      {"How much faster than the first trial",
       "SELECT task.name, first.seconds / best_seconds AS speedup\n"
       "FROM task_summary JOIN task ON task.id = task_summary.task\n"
       "JOIN record AS first ON first.id = (SELECT min(id) FROM record\n"
       "  WHERE record.task = task.id AND verdict = 0)\n"
       "ORDER BY speedup DESC"},
      {"Trials of every minute",
       "SELECT session, CAST(wall_seconds / 60 AS INTEGER) AS minute, count(*) AS trials\n"
       "FROM record GROUP BY 1, 2"},
  };
  return kExamples;
}

} // namespace nestwright
