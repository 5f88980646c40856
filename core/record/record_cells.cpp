#include "core/record/record_cells.h"

#include "core/record/result_codec.h"
#include "core/record/step_codec.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace nestwright {

namespace {

using sqlite::Database;
using sqlite::Statement;

/// Lets a connection that only reads write to its own temporary tables.
class TemporaryWriting {
 public:
  explicit TemporaryWriting(Database& db)
      : db_(db), guarded_(db.integer("PRAGMA query_only") != 0) {
    if (guarded_) db_.execute("PRAGMA query_only = OFF");
  }
  ~TemporaryWriting() {
    if (guarded_) sqlite3_exec(db_.handle(), "PRAGMA query_only = ON", nullptr, nullptr, nullptr);
  }
  TemporaryWriting(const TemporaryWriting&) = delete;
  TemporaryWriting& operator=(const TemporaryWriting&) = delete;

 private:
  Database& db_;
  bool guarded_;
};

} // namespace

bool RecordCell::isGood() const {
  return (verdict & ~kForgottenCode) == 0;
}

std::vector<RecordCell> cellsOf(Database& db, const SqlCondition& condition) {
  std::vector<RecordCell> cells;
  Statement rows = db.prepare(
      "SELECT task, session, verdict, records FROM tally WHERE records > 0" + condition.also());
  condition.bind(rows);
  while (rows.step())
    cells.push_back({rows.integer(0), rows.integer(1), int(rows.integer(2)), rows.integer(3)});
  return cells;
}

SqlCondition joined(const SqlCondition& a, const SqlCondition& b) {
  SqlCondition all = a;
  if (!b.sql.empty()) all.add(b.sql);
  all.values.insert(all.values.end(), b.values.begin(), b.values.end());
  return all;
}

Statement recordsOf(Database& db, const QuerySql& sql, const RecordCell& cell,
                    const std::string& what, const std::string& also) {
  // The index by speed holds all that is asked for where only times are.
  const bool bySpeed = cell.verdict == 0 && sql.onlyTimed;
  Statement rows = db.prepare(fmt::format(
      "SELECT {} FROM record INDEXED BY {} WHERE task = ?1 AND session = ?2 AND verdict = {} AND {}"
      "{}{}",
      what, bySpeed ? "record_by_speed" : "record_by_group", cell.verdict,
      bySpeed ? "seconds >= ?3 AND seconds <= ?4" : "?3 <= ?4", sql.record.also(), also));
  rows.bind(cell.task, cell.session, sql.above, sql.below);
  sql.record.bind(rows, 5);
  return rows;
}

QuerySql conditionsOf(Database& db, const RecordQuery& query, bool tags) {
  QuerySql sql = toSql(query, tags);
  if (sql.stepKinds.empty()) return sql;
  const TemporaryWriting allowed(db);
  db.execute("CREATE TEMP TABLE IF NOT EXISTS step_shape (kind INTEGER, shape INTEGER, "
             "PRIMARY KEY (kind, shape)) WITHOUT ROWID");
  // Kind 0 stands for every shape that was looked at, so that only new ones are read.
  const std::int64_t seen =
      db.integer("SELECT ifnull(max(shape), 0) FROM temp.step_shape WHERE kind = 0");
  db.execute("SAVEPOINT step_shapes");
  try {
    Statement rows = db.prepare("SELECT id, steps FROM shape WHERE id > ?");
    Statement insert = db.prepare("INSERT INTO temp.step_shape (kind, shape) VALUES (?, ?)");
    rows.bind(seen);
    while (rows.step()) {
      insert.bind(0, rows.integer(0)).run();
      for (const int kind : stepKinds(rows.view(1)))
        insert.bind(kind, rows.integer(0)).run();
    }
  } catch (...) {
    db.execute("ROLLBACK TO step_shapes; RELEASE step_shapes");
    throw;
  }
  db.execute("RELEASE step_shapes");
  return sql;
}

} // namespace nestwright
