#include "core/record/select/record_cells.h"

#include "core/record/format/result_codec.h"
#include "core/record/format/step_codec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
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

/// Puts the ids into a temporary table, in place of those that were there.
void fillIds(Database& db, const char* table, const std::vector<RowId>& ids) {
  db.execute(fmt::format("CREATE TABLE IF NOT EXISTS {0} (id INTEGER PRIMARY KEY); DELETE FROM {0}",
                         table));
  if (ids.empty()) return;
  // In one statement: whoever stops the question in the midst of it leaves no transaction open.
  db.prepare(fmt::format("INSERT INTO {} SELECT value FROM json_each(?)", table))
      .bind(fmt::format("[{}]", fmt::join(ids, ",")))
      .run();
}

} // namespace

bool RecordCell::isGood() const {
  return (verdict & ~kForgottenCode) == 0;
}

std::vector<RecordCell> cellsOf(Database& db, const SqlCondition& condition) {
  std::vector<RecordCell> cells;
  Statement rows = db.prepare("SELECT task, session, verdict, records, first_record, last_record "
                              "FROM tally WHERE records > 0" +
                              condition.also());
  condition.bind(rows);
  while (rows.step())
    cells.push_back({rows.integer(0), rows.integer(1), int(rows.integer(2)), rows.integer(3),
                     rows.integer(4), rows.integer(5)});
  return cells;
}

void addToTally(Database& db, const RecordCell& cell, double kernelSeconds) {
  db.prepare("INSERT INTO tally (session, task, verdict, records, kernel_seconds, first_record, "
             "last_record) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
             "records = records + excluded.records, "
             "kernel_seconds = kernel_seconds + excluded.kernel_seconds, "
             "first_record = min(first_record, excluded.first_record), "
             "last_record = max(last_record, excluded.last_record)")
      .bind(cell.session, cell.task, cell.verdict, cell.records, kernelSeconds, cell.first,
            cell.last)
      .run();
}

bool hasIndex(Database& db, std::string_view name) {
  Statement find = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?");
  return find.bind(name).step();
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

namespace {

/// Fills temp.step_shape with which kinds of steps each shape has.
void listStepKinds(Database& db) {
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
}

/// Where all shapes or none have a kind of step, no record need be looked at.
void noteStepKinds(Database& db, const RecordFilter& filter, FileFacts& facts) {
  const auto shapesWith = [&](int kind) {
    Statement count = db.prepare("SELECT count(*) FROM temp.step_shape WHERE kind = ?");
    count.bind(kind).step();
    return count.integer(0);
  };
  const std::int64_t all = shapesWith(0);
  for (const FilterCondition& condition : filter.conditions) {
    if (condition.field != FilterField::Steps) continue;
    for (const FilterValue& value : condition.values) {
      const int kind = stepKindNamed(value.text);
      const std::int64_t shapes = shapesWith(kind);
      if (shapes == 0) facts.absentSteps.insert(kind);
      if (shapes == all) facts.commonSteps.insert(kind);
    }
  }
}

} // namespace

QuerySql conditionsOf(Database& db, const RecordQuery& query) {
  FileFacts facts;
  if (query.filter.has(FilterField::Steps)) {
    listStepKinds(db);
    noteStepKinds(db, query.filter, facts);
  }
  if (query.filter.has(FilterField::Program) || query.filter.has(FilterField::Is)) {
    facts.programs = hasIndex(db, kProgramIndex);
    facts.flags = hasIndex(db, kFlagIndex);
    facts.imported = db.integer("SELECT EXISTS (SELECT 1 FROM record_block)") != 0;
  }
  if (const RowId session = query.filter.has(FilterField::Is) ? sessionOfBests(query) : 0)
    facts.bestsOfImport =
        db.integer(fmt::format("SELECT EXISTS (SELECT 1 FROM session WHERE id = {} AND {})",
                               session, kIsImport)) != 0;
  if (query.marks) {
    facts.otherMarks = true;
    const TemporaryWriting allowed(db);
    fillIds(db, kOtherForgotten, query.marks->forgotten);
    fillIds(db, kOtherBest, query.marks->best);
  }
  return toSql(query, facts);
}

} // namespace nestwright
