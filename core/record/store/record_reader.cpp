#include "core/record/store/record_reader.h"

#include "core/record/format/columns.h"
#include "core/record/format/record_flags.h"
#include "core/record/format/result_codec.h"
#include "core/record/format/step_codec.h"
#include "core/support/error.h"

namespace nestwright {

using sqlite::Statement;

std::optional<Record> RecordReader::read(RowId id) {
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

void RecordReader::readTags(Record& record) {
  Statement rows =
      db_.prepare("SELECT tag.name FROM record_tag JOIN tag ON tag.id = record_tag.tag "
                  "WHERE record_tag.record = ? ORDER BY tag.name");
  rows.bind(record.id);
  while (rows.step())
    record.tags.push_back(rows.text(0));
}

} // namespace nestwright
