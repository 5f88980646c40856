#include "core/record/format/result_codec.h"
#include "core/record/query/record_cells.h"
#include "core/record/store/store_impl.h"
#include "core/support/error.h"
#include "core/support/infinity.h"

#include <algorithm>
#include <set>

namespace nestwright {

namespace {

using sqlite::Statement;

} // namespace

void OtherMarks::apply(Record& record) const {
  if (std::ranges::binary_search(forgotten, record.id)) record.forgotten = !record.forgotten;
  if (std::ranges::binary_search(best, record.id)) record.best = !record.best;
}

std::vector<RowId> RecordStore::setForgotten(const std::vector<RowId>& records, bool forgotten) {
  std::vector<RowId> changed;
  transaction([&] {
    auto& db = impl_->db;
    std::set<RowId> tasks; // whose bests may change
    for (const RowId id : std::set<RowId>(records.begin(), records.end())) {
      std::optional<Record> record = impl_->record(id);
      if (!record)
        throw InputError(fmt::format("{}: there is no record {} in the file", path(), id));
      if (record->forgotten == forgotten) continue;
      db.prepare("UPDATE record SET verdict = verdict + ?, flags = flags & ~? WHERE id = ?")
          .bind(forgotten ? kForgottenCode : -kForgottenCode, recordflag::kBest, id)
          .run();
      impl_->moveCounts(*record, forgotten);
      record->forgotten = false;
      if (forgotten ? record->best : eligible(*record)) tasks.insert(record->task);
      changed.push_back(id);
    }
    for (const RowId task : tasks)
      chooseBests(db, task);
  });
  return changed;
}

void RecordStore::Impl::moveCounts(const Record& record, bool forgotten) {
  const int error = record.result.verdict == Verdict::Ok ? 0 : 1;
  const int sign = forgotten ? -1 : 1;
  db.prepare("UPDATE task_summary SET trials = trials + ?, errors = errors + ? WHERE task = ?")
      .bind(sign, sign * error, record.task)
      .run();
  const int code = codeOf(record.result.verdict);
  const auto add = [&](int verdict, int records) {
    addToTally(db, {record.task, record.session, verdict, records, record.id, record.id},
               records * record.result.runSeconds);
  };
  add(code, sign);
  add(code | kForgottenCode, -sign);
}

void chooseBests(sqlite::Database& db, RowId task) {
  Statement rows = db.prepare("SELECT id, seconds, flags FROM record INDEXED BY record_by_group "
                              "WHERE task = ? AND verdict = 0 ORDER BY id");
  rows.bind(task);
  RowId bestRecord = 0;
  double bestSeconds = kInfinity;
  std::vector<std::pair<RowId, bool>> changes;
  while (rows.step()) {
    const std::int64_t flags = rows.integer(2);
    const bool may = (flags & recordflag::kVerified) != 0 &&
                     (flags & (recordflag::kImplausible | recordflag::kContested)) == 0;
    const bool best = may && rows.real(1) < bestSeconds;
    if (best) {
      bestRecord = rows.integer(0);
      bestSeconds = rows.real(1);
    }
    if (best != ((flags & recordflag::kBest) != 0)) changes.emplace_back(rows.integer(0), best);
  }
  Statement mark = db.prepare("UPDATE record SET flags = (flags & ~?1) | ?2 WHERE id = ?3");
  for (const auto& [id, best] : changes)
    mark.bind(recordflag::kBest, best ? recordflag::kBest : 0, id).run();
  Statement update =
      db.prepare("UPDATE task_summary SET best_record = ?, best_seconds = ? WHERE task = ?");
  bindReference(update, 1, bestRecord);
  if (bestRecord != 0)
    update.bindAt(2, bestSeconds);
  else
    update.bindAt(2, nullptr);
  update.bindAt(3, task).run();
}

std::vector<CurvePoint> RecordStore::bestHistory(RowId task) const {
  std::vector<CurvePoint> points;
  Statement rows = impl_->db.prepare(
      "SELECT trial, wall_seconds, seconds, id, flags FROM record INDEXED BY record_by_group "
      "WHERE task = ? AND verdict = 0 AND flags & ? ORDER BY id");
  rows.bind(task, recordflag::kBest);
  while (rows.step())
    points.push_back({rows.integer(0), rows.real(1), rows.real(2), task, rows.integer(3), true,
                      Verdict::Ok, (rows.integer(4) & recordflag::kOnDemand) != 0});
  return points;
}

std::vector<Record> RecordStore::repeatedMeasurements(RowId record) const {
  const sqlite::Snapshot moment(impl_->db);
  std::vector<Record> records;
  const std::optional<Record> asked = impl_->record(record);
  if (!asked) return records;
  const std::optional<Record> original =
      asked->original != 0 ? impl_->record(asked->original) : asked;
  if (original) records.push_back(*original);
  Statement rows =
      impl_->db.prepare("SELECT record FROM on_demand WHERE original = ? ORDER BY record");
  rows.bind(asked->original != 0 ? asked->original : record);
  while (rows.step())
    if (auto repeated = impl_->record(rows.integer(0))) records.push_back(std::move(*repeated));
  return records;
}

std::pair<std::int64_t, double> RecordStore::lastTrial(RowId session) const {
  Statement row =
      impl_->db.prepare("SELECT trial, wall_seconds FROM record INDEXED BY record_by_trial "
                        "WHERE session = ? ORDER BY trial DESC LIMIT 1");
  if (!row.bind(session).step()) return {};
  return {row.integer(0), row.real(1)};
}

} // namespace nestwright
