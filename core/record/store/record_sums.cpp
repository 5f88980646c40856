#include "core/record/store/record_sums.h"

#include "core/record/format/columns.h"
#include "core/record/format/record_flags.h"
#include "core/record/format/result_codec.h"
#include "core/record/select/record_cells.h"
#include "core/record/store/stored_records.h"
#include "core/support/error.h"
#include "core/support/infinity.h"

#include <utility>
#include <vector>

namespace nestwright {

namespace {

using sqlite::Statement;

/// Adds the record so many times to the cell with this code of a verdict.
void addToCell(sqlite::Database& db, const Record& record, int code, int times) {
  addToTally(db, {record.task, record.session, code, times, record.id, record.id},
             times * record.result.runSeconds);
}

} // namespace

bool eligible(const Record& record) {
  return mayBeBest(codeOf(record), flagsOf(record));
}

bool becomesBest(sqlite::Database& db, const Record& record) {
  Statement find = db.prepare("SELECT best_seconds FROM task_summary WHERE task = ?");
  if (!find.bind(record.task).step())
    throw InputError(fmt::format("{}: there is no task {} in the file", db.path(), record.task));
  const double best = find.isNull(0) ? kInfinity : find.real(0);
  return eligible(record) && record.result.latency() < best; // of equal ones the earlier stays
}

void addToSums(sqlite::Database& db, const Record& record) {
  const int error = record.result.verdict == Verdict::Ok ? 0 : 1;
  db.prepare("UPDATE task_summary SET trials = trials + 1, errors = errors + ?, "
             "kernel_seconds = kernel_seconds + ? WHERE task = ?")
      .bind(error, record.result.runSeconds, record.task)
      .run();
  addToCell(db, record, codeOf(record.result.verdict), 1);
}

void setForgottenInSums(sqlite::Database& db, const Record& record, bool forgotten) {
  const int error = record.result.verdict == Verdict::Ok ? 0 : 1;
  const int sign = forgotten ? -1 : 1;
  db.prepare("UPDATE task_summary SET trials = trials + ?, errors = errors + ? WHERE task = ?")
      .bind(sign, sign * error, record.task)
      .run();
  const int code = codeOf(record.result.verdict);
  addToCell(db, record, code, sign);
  addToCell(db, record, code | kForgottenCode, -sign);
}

void setErrorInSums(sqlite::Database& db, const Record& record, Verdict error) {
  addToCell(db, record, codeOf(record.result.verdict), -1);
  addToCell(db, record, codeOf(error), 1);
  db.prepare("UPDATE task_summary SET errors = errors + 1 WHERE task = ?").bind(record.task).run();
}

void setBest(sqlite::Database& db, RowId task, RowId record, double seconds) {
  Statement update =
      db.prepare("UPDATE task_summary SET best_record = ?, best_seconds = ? WHERE task = ?");
  bindReference(update, 1, record);
  if (record != 0)
    update.bindAt(2, seconds);
  else
    update.bindAt(2, nullptr);
  update.bindAt(3, task).run();
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
    const bool best = mayBeBest(0, flags) && rows.real(1) < bestSeconds;
    if (best) {
      bestRecord = rows.integer(0);
      bestSeconds = rows.real(1);
    }
    if (best != ((flags & recordflag::kBest) != 0)) changes.emplace_back(rows.integer(0), best);
  }
  Statement mark = db.prepare("UPDATE record SET flags = (flags & ~?1) | ?2 WHERE id = ?3");
  for (const auto& [id, best] : changes)
    mark.bind(recordflag::kBest, best ? recordflag::kBest : 0, id).run();
  setBest(db, task, bestRecord, bestSeconds);
}

} // namespace nestwright
