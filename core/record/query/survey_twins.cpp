/// The same program elsewhere: found by its steps, which own and imported records keep alike.
#include "core/record/file/database_file.h"
#include "core/record/format/result_codec.h"
#include "core/record/format/stored_block.h"
#include "core/record/query/record_survey.h"
#include "core/support/infinity.h"

#include <algorithm>
#include <map>
#include <optional>

namespace nestwright {

namespace {

using sqlite::Statement;

/// The values of imported records' steps, which lie in blocks; asked for by rising id.
class BlockValues {
 public:
  explicit BlockValues(sqlite::Database& db) : db_(db) {}

  /// Null when the file lacks the block. Throws InputError when it is damaged.
  const std::string* of(RowId record) {
    if (!block_ || !block_->holds(record)) {
      try {
        block_ = findBlock(db_, record);
      } catch (const InputError& error) {
        throw InputError(fmt::format("{}: record {}: {}", db_.path(), record, error.what()));
      }
    }
    return block_ ? &block_->item(record).values : nullptr;
  }

 private:
  sqlite::Database& db_;
  std::optional<StoredBlock> block_; // that was read last
};

/// The steps' values of a row of `SELECT step_values, length(details)`, from column 0.
std::optional<std::string> valuesOf(const Statement& row, RowId id, BlockValues& blocks) {
  if (row.integer(1) > 0) return row.text(0);
  if (const std::string* values = blocks.of(id)) return *values;
  return std::nullopt;
}

} // namespace

std::vector<ProgramTwin> RecordSurvey::twins(RowId record) {
  const sqlite::Snapshot moment(db_);
  BlockValues blocks(db_);
  Statement one = db_.prepare("SELECT step_values, length(details), shape, key FROM record JOIN "
                              "task ON task.id = record.task WHERE record.id = ?");
  if (!one.bind(record).step())
    throw InputError(fmt::format("{}: there is no record {}", db_.path(), record));
  const std::optional<std::string> values = valuesOf(one, record, blocks);
  if (!values)
    throw InputError(fmt::format("{}: record {}: the file is damaged: the block that holds it is "
                                 "missing",
                                 db_.path(), record));
  const RowId shape = one.integer(2);
  std::vector<ProgramTwin> twins;
  Statement tasks =
      db_.prepare("SELECT task.id, ifnull(target, 0), ifnull(text, ''), ifnull(facts, ''), (SELECT "
                  "ifnull(sum(records), 0) FROM tally WHERE tally.task = task.id) FROM task LEFT "
                  "JOIN target ON target.id = task.target WHERE task.key = ?");
  tasks.bind(one.text(3));
  while (tasks.step())
    expect(tasks.integer(4));
  tasks.reset();
  tasks.bind(one.text(3));
  while (tasks.step()) {
    Statement rows = db_.prepare(
        "SELECT step_values, length(details), record.id, session, trial, verdict, seconds, title "
        "FROM record INDEXED BY record_by_group JOIN session ON session.id = record.session WHERE "
        "task = ? AND shape = ? ORDER BY record.id");
    rows.bind(tasks.integer(0), shape);
    while (rows.step()) {
      if (valuesOf(rows, rows.integer(2), blocks) != values) continue;
      twins.push_back({.record = rows.integer(2),
                       .session = rows.integer(3),
                       .task = tasks.integer(0),
                       .target = tasks.integer(1),
                       .trial = rows.integer(4),
                       .verdict = verdictOf(rows.integer(5) & ~kForgottenCode),
                       .seconds = rows.isNull(6) ? kInfinity : rows.real(6),
                       .imported = rows.integer(1) == 0,
                       .forgotten = (rows.integer(5) & kForgottenCode) != 0,
                       .targetName = targetTitle(tasks.text(2), tasks.text(3)),
                       .sessionTitle = rows.text(7)});
    }
    done_ += tasks.integer(4);
  }
  std::stable_sort(twins.begin(), twins.end(), [](const ProgramTwin& a, const ProgramTwin& b) {
    return a.seconds < b.seconds;
  });
  return twins;
}

} // namespace nestwright
