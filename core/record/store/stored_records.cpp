#include "core/record/store/stored_records.h"

#include "core/record/format/columns.h"
#include "core/record/format/record_flags.h"
#include "core/record/format/result_codec.h"
#include "core/record/format/step_codec.h"
#include "core/support/error.h"
#include "core/support/text_limit.h"

namespace nestwright {

using sqlite::Statement;

int flagsOf(const Record& record) {
  return (record.verified ? recordflag::kVerified : 0) |
         (record.implausible ? recordflag::kImplausible : 0) |
         (record.best ? recordflag::kBest : 0) | (record.contested ? recordflag::kContested : 0) |
         (record.onDemand ? recordflag::kOnDemand : 0);
}

int codeOf(const Record& record) {
  return codeOf(record.result.verdict) | (record.forgotten ? kForgottenCode : 0);
}

namespace {

/// The time that queries see: none of an error.
void bindSeconds(Statement& statement, int index, const MeasureResult& result) {
  if (result.verdict == Verdict::Ok)
    statement.bindAt(index, result.latency());
  else
    statement.bindAt(index, nullptr);
}

} // namespace

RowId StoredRecords::insert(const Record& record) {
  const EncodedSteps steps = encodeSteps(record.steps);
  const RowId shape = shapes_.id(steps.shape);
  Statement insert = db_.prepare(
      "INSERT INTO record (session, task, trial, verdict, flags, seconds, wall_seconds, shape, "
      "step_values, program, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(record.session, record.task, record.trial, codeOf(record.result.verdict),
              flagsOf(record));
  bindSeconds(insert, 6, record.result);
  insert.bindAt(7, record.wallSeconds).bindAt(8, shape).bindBlob(9, steps.values);
  bindProgramId(insert, 10, record.program);
  insert.bindBlob(11, encodeDetails(record.result)).run();
  const RowId id = db_.lastInsertId();
  insertTexts(id, record);
  if (record.onDemand) {
    Statement demand = db_.prepare("INSERT INTO on_demand (record, original) VALUES (?, ?)");
    demand.bindAt(1, id);
    bindReference(demand, 2, record.original);
    demand.run();
  }
  return id;
}

void StoredRecords::update(const Record& record) {
  Statement update = db_.prepare(
      "UPDATE record SET verdict = ?, flags = ?, seconds = ?, details = ? WHERE id = ?");
  update.bind(codeOf(record), flagsOf(record));
  bindSeconds(update, 3, record.result);
  update.bindBlob(4, encodeDetails(record.result)).bindAt(5, record.id).run();
}

void StoredRecords::insertTexts(RowId id, const Record& record) {
  const auto insert = [&](const char* sql, std::string_view text) {
    Statement statement = db_.prepare(sql);
    statement.bindAt(1, id);
    bindPacked(statement, 2, text);
    statement.run();
  };
  if (!record.result.error.empty())
    insert("INSERT INTO error (record, text) VALUES (?, ?)", boundedText(record.result.error));
  if (!record.trace.empty()) insert("INSERT INTO trace (record, text) VALUES (?, ?)", record.trace);
}

std::optional<Record> StoredRecords::read(RowId id) {
  Statement row = db_.prepare(
      "SELECT session, task, trial, verdict, flags, wall_seconds, shape, step_values, program, "
      "details, error.text, trace.text FROM record LEFT JOIN error ON error.record = record.id "
      "LEFT JOIN trace ON trace.record = record.id WHERE record.id = ?");
  if (!row.bind(id).step()) return std::nullopt;
  try {
    Record record;
    record.id = id;
    record.session = row.integer(0);
    record.task = row.integer(1);
    record.trial = row.integer(2);
    record.result.verdict = verdictOf(row.integer(3) & ~kForgottenCode);
    record.forgotten = (row.integer(3) & kForgottenCode) != 0;
    const std::int64_t flags = row.integer(4);
    record.verified = (flags & recordflag::kVerified) != 0;
    record.implausible = (flags & recordflag::kImplausible) != 0;
    record.best = (flags & recordflag::kBest) != 0;
    record.contested = (flags & recordflag::kContested) != 0;
    record.onDemand = (flags & recordflag::kOnDemand) != 0;
    if (record.onDemand) {
      Statement demand = db_.prepare("SELECT original FROM on_demand WHERE record = ?");
      if (demand.bind(id).step()) record.original = demand.integer(0);
    }
    record.wallSeconds = row.real(5);
    if (row.view(9).empty()) {
      imported_.read(record, row.integer(6));
    } else {
      record.steps = decodeSteps(shapes_.of(row.integer(6)), row.view(7));
      record.program = readProgramId(row, 8);
      decodeDetails(row.view(9), record.result);
    }
    if (!row.isNull(10)) record.result.error = readPacked(row, 10);
    if (!row.isNull(11)) record.trace = readPacked(row, 11);
    readTags(record);
    return record;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: record {}: {}", db_.path(), id, error.what()));
  }
}

void StoredRecords::readTags(Record& record) {
  Statement rows =
      db_.prepare("SELECT tag.name FROM record_tag JOIN tag ON tag.id = record_tag.tag "
                  "WHERE record_tag.record = ? ORDER BY tag.name");
  rows.bind(record.id);
  while (rows.step())
    record.tags.push_back(rows.text(0));
}

} // namespace nestwright
