#include "core/record/store/record_rows.h"

#include "core/record/format/record_flags.h"
#include "core/record/format/result_codec.h"
#include "core/record/select/record_cells.h"
#include "core/record/select/record_figures.h"
#include "core/record/select/select_page.h"
#include "core/record/store/record_sums.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/stored_records.h"
#include "core/record/store/task_rows.h"
#include "core/support/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace nestwright {

namespace {

using sqlite::Statement;

void requireSensible(const Record& record) {
  if (record.trial < 1)
    throw InputError(fmt::format("trials count from 1, and this record has {}", record.trial));
  if (record.result.verdict != Verdict::Ok) return;
  const double seconds = record.result.latency();
  const auto& repeats = record.result.seconds;
  const bool positive = std::all_of(repeats.begin(), repeats.end(), [](double s) { return s > 0; });
  if (!positive || !(seconds > 0) || !std::isfinite(seconds))
    throw InputError(
        fmt::format("trial {} of session {} ended well in {} s, which cannot be a time",
                    record.trial, record.session, seconds));
}

void requireNewTrial(sqlite::Database& db, const Record& record) {
  Statement twice = db.prepare("SELECT id FROM record WHERE session = ? AND trial = ?");
  if (twice.bind(record.session, record.trial).step())
    throw InputError(fmt::format("{}: session {} already has a trial {}: record {}", db.path(),
                                 record.session, record.trial, twice.integer(0)));
}

} // namespace

RowId RecordRows::add(const Record& given) {
  requireSensible(given);
  Record record = given;
  db_.transaction([&] {
    requireSession(db_, record.session);
    record.best = becomesBest(db_, record); // throws for an unknown task
    requireNewTrial(db_, record);
    record.id = stored_.insert(record);
    addToSums(db_, record);
    if (record.best) setBest(db_, record.task, record.id, record.result.latency());
  });
  return record.id;
}

void RecordRows::addRepeats(RowId id, const std::vector<double>& seconds, bool confirmed) {
  db_.transaction([&] {
    std::optional<Record> record = one(id);
    if (!record || !record->contested)
      throw InputError(
          fmt::format("{}: record {} {}", db_.path(), id,
                      record ? "claims nothing that could be confirmed" : "is not in the file"));
    record->result.seconds.insert(record->result.seconds.end(), seconds.begin(), seconds.end());
    record->contested = !confirmed;
    requireSensible(*record);
    record->best = becomesBest(db_, *record);
    stored_.update(*record);
    if (record->best) setBest(db_, record->task, id, record->result.latency());
  });
}

void RecordRows::setAnswer(RowId id, const MeasureResult& check) {
  const bool right = check.verdict == Verdict::Ok;
  NW_ASSERT(right ? check.checked : check.verdict == Verdict::WrongAnswer,
            "a check that says nothing of the answer");
  db_.transaction([&] {
    std::optional<Record> record = one(id);
    if (!record || record->forgotten || record->result.verdict != Verdict::Ok)
      throw InputError(
          fmt::format("{}: record {} is not one whose answer could be right", db_.path(), id));
    const bool wasBest = record->best;
    if (!right) {
      setErrorInSums(db_, *record, check.verdict);
      record->best = record->contested = false;
    }
    record->result.verdict = check.verdict;
    record->result.error = check.error;
    record->result.checked = right;
    record->result.maxRelativeError = check.maxRelativeError;
    record->verified = right;
    record->trace.clear(); // it is there already
    stored_.update(*record);
    stored_.insertTexts(id, *record);
    if (wasBest || (right && becomesBest(db_, *record))) chooseBests(db_, record->task);
  });
}

std::vector<RowId> RecordRows::setForgotten(const std::vector<RowId>& records, bool forgotten) {
  std::vector<RowId> changed;
  db_.transaction([&] {
    std::set<RowId> tasks; // whose bests may change
    for (const RowId id : std::set<RowId>(records.begin(), records.end())) {
      std::optional<Record> record = one(id);
      if (!record)
        throw InputError(fmt::format("{}: there is no record {} in the file", db_.path(), id));
      if (record->forgotten == forgotten) continue;
      db_.prepare("UPDATE record SET verdict = verdict + ?, flags = flags & ~? WHERE id = ?")
          .bind(forgotten ? kForgottenCode : -kForgottenCode, recordflag::kBest, id)
          .run();
      setForgottenInSums(db_, *record, forgotten);
      record->forgotten = false;
      if (forgotten ? record->best : eligible(*record)) tasks.insert(record->task);
      changed.push_back(id);
    }
    for (const RowId task : tasks)
      chooseBests(db_, task);
  });
  return changed;
}

std::optional<Record> RecordRows::one(RowId id) const {
  return stored_.read(id);
}

std::vector<Record> RecordRows::page(const RecordQuery& query) const {
  const QuerySql sql = conditionsOf(db_, query);
  const sqlite::Snapshot moment(db_);
  const BrowseQuery browse{query, browseOrder(query.order), query.after, false, query.limit};
  std::vector<Record> records;
  for (const RowId id : selectPage(db_, browse, sql))
    if (auto record = one(id)) records.push_back(std::move(*record));
  return records;
}

std::optional<Record> RecordRows::best(RowId task) const {
  const RowId id = TaskRows(db_).summary(task).bestRecord;
  return id == 0 ? std::nullopt : one(id);
}

std::vector<Record> RecordRows::repeatedMeasurements(RowId record) const {
  const sqlite::Snapshot moment(db_);
  std::vector<Record> records;
  const std::optional<Record> asked = one(record);
  if (!asked) return records;
  const std::optional<Record> original = asked->original != 0 ? one(asked->original) : asked;
  if (original) records.push_back(*original);
  Statement rows = db_.prepare("SELECT record FROM on_demand WHERE original = ? ORDER BY record");
  rows.bind(asked->original != 0 ? asked->original : record);
  while (rows.step())
    if (auto repeated = one(rows.integer(0))) records.push_back(std::move(*repeated));
  return records;
}

std::int64_t RecordRows::count(const RecordQuery& query) const {
  return countOf(db_, query);
}

std::int64_t RecordRows::total(RowId task) const {
  if (task == 0) return db_.integer("SELECT ifnull(sum(trials), 0) FROM task_summary");
  return TaskRows(db_).summary(task).trials;
}

RecordStatistics RecordRows::statistics(const RecordQuery& query, int bins) const {
  return statisticsOf(db_, query, bins);
}

RecordStatistics RecordRows::statistics(const std::vector<RowId>& records, int bins) const {
  return statisticsOf(db_, records, bins);
}

std::vector<VerdictCount> RecordRows::verdictCounts(RowId session, RowId task) const {
  std::vector<VerdictCount> counts;
  // One condition for "of this" and "of any" would keep SQLite from its indexes.
  Statement rows = db_.prepare(fmt::format(
      "SELECT verdict, sum(records) FROM tally WHERE {} AND {} AND verdict < ?3 GROUP BY verdict "
      "HAVING sum(records) > 0 ORDER BY verdict",
      session != 0 ? "session = ?1" : "?1 = 0", task != 0 ? "task = ?2" : "?2 = 0"));
  rows.bind(session, task, kForgottenCode);
  while (rows.step())
    counts.push_back({verdictOf(rows.integer(0)), rows.integer(1)});
  return counts;
}

} // namespace nestwright
