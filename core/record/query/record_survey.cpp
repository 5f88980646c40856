#include "core/record/query/record_survey.h"

#include "core/record/file/database_file.h"
#include "core/record/format/result_codec.h"
#include "core/record/select/record_cells.h"
#include "core/record/sql/interruptible.h"
#include "core/record/store/program_function.h"
#include "core/support/infinity.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace nestwright {

namespace {

using sqlite::Statement;

} // namespace

RecordSurvey::RecordSurvey(const std::string& path)
    : db_(openDatabaseFile(path, OpenMode::ReadOnly)) {
  addImportedProgram(db_);
}

void RecordSurvey::interruptible(const std::function<bool(double)>& goOn,
                                 const std::function<void()>& body) {
  all_ = done_ = 0;
  const sqlite::Interruptible guard(
      db_, [&] { return goOn(all_ > 0 ? std::min(1.0, double(done_) / double(all_)) : 0.0); });
  body();
}

void RecordSurvey::expect(std::int64_t records) {
  all_ += records;
}

std::int64_t RecordSurvey::total(const RecordQuery& query) {
  RecordQuery all;
  all.task = query.task;
  all.session = query.session;
  all.forgotten = query.forgotten;
  all.upTo = query.upTo;
  all.marks = query.marks;
  std::int64_t records = 0;
  for (const RecordCell& cell : counted(conditionsOf(db_, all)))
    records += cell.records;
  return records;
}

/// The cells of the query's records, with the number that match.
std::vector<RecordCell> RecordSurvey::counted(const QuerySql& sql) {
  std::vector<RecordCell> cells;
  if (sql.few) {
    const SqlCondition all = joined(sql.record, sql.group);
    Statement rows = db_.prepare("SELECT task, session, verdict, count(*) FROM record" +
                                 all.where() + " GROUP BY task, session, verdict");
    all.bind(rows);
    while (rows.step())
      cells.push_back({rows.integer(0), rows.integer(1), int(rows.integer(2)), rows.integer(3)});
    return cells;
  }
  cells = cellsOf(db_, sql.group);
  if (sql.record.sql.empty()) return cells;
  for (const RecordCell& cell : cells)
    expect(cell.records);
  for (RecordCell& cell : cells) {
    const std::int64_t whole = cell.records;
    Statement row = recordsOf(db_, sql, cell, "count(*)");
    cell.records = row.step() ? row.integer(0) : 0;
    done_ += whole;
  }
  std::erase_if(cells, [](const RecordCell& cell) { return cell.records == 0; });
  return cells;
}

RecordSample RecordSurvey::sample(const RecordQuery& query, std::int64_t most) {
  const QuerySql sql = conditionsOf(db_, query);
  const sqlite::Snapshot moment(db_);
  struct OfTask {
    std::string name;
    double flops = 0, weight = 0;
  };
  std::map<RowId, OfTask> tasks;
  Statement facts =
      db_.prepare("SELECT task.id, name, flops, ifnull(max(weight), 0) FROM task LEFT JOIN "
                  "network_task ON network_task.task = task.id GROUP BY task.id");
  while (facts.step())
    tasks[facts.integer(0)] = {facts.text(1), facts.real(2), facts.real(3)};
  std::map<RowId, std::string> titles;
  Statement sessions = db_.prepare("SELECT id, title FROM session");
  while (sessions.step())
    titles[sessions.integer(0)] = sessions.text(1);
  const std::vector<RecordCell> cells = counted(sql);
  RecordSample sample;
  for (const RecordCell& cell : cells)
    sample.matching += cell.records;
  // A hash of the id chooses: a fixed step might fall in with the rhythm of the rounds.
  constexpr std::int64_t kHashes = 1 << 24;
  std::string chosen;
  if (sample.matching > most)
    chosen = fmt::format(" AND ((id * 2654435761) >> 8) % {} < {}", kHashes,
                         std::int64_t(double(kHashes) * double(most) / double(sample.matching)));
  expect(sample.matching);
  for (const RecordCell& cell : cells) {
    QuerySql own{.group = {}, .record = sql.record};
    // Not by speed: other columns are asked for, too.
    Statement rows = recordsOf(db_, own, cell, "id, trial, seconds, wall_seconds", chosen);
    const OfTask& task = tasks[cell.task];
    sample.tasks[cell.task] = task.name;
    sample.sessions[cell.session] = titles[cell.session];
    while (rows.step()) {
      RecordPoint point{.record = rows.integer(0),
                        .task = cell.task,
                        .session = cell.session,
                        .trial = rows.integer(1),
                        .seconds = rows.isNull(2) ? kInfinity : rows.real(2),
                        .wallSeconds = rows.real(3),
                        .weight = task.weight,
                        .verdict = verdictOf(cell.verdict & ~kForgottenCode)};
      if (point.seconds > 0 && std::isfinite(point.seconds))
        point.gflops = task.flops / point.seconds / 1e9;
      sample.points.push_back(point);
    }
    done_ += cell.records;
  }
  return sample;
}

std::string targetTitle(const std::string& text, const std::string& facts) {
  const auto parsed = nlohmann::json::parse(facts, nullptr, false);
  if (parsed.is_object())
    for (const char* key : {"model", "cpu"})
      if (const auto found = parsed.find(key); found != parsed.end() && found->is_string() &&
                                               !found->get_ref<const std::string&>().empty())
        return found->get<std::string>();
  return text;
}

} // namespace nestwright
