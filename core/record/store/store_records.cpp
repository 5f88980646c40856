#include "core/record/format/result_codec.h"
#include "core/record/format/step_codec.h"
#include "core/record/query/record_cells.h"
#include "core/record/store/store_impl.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/support/infinity.h"
#include "core/support/text_limit.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {

using sqlite::Statement;

constexpr std::size_t kCachedShapes = 1 << 14;

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// A hash in lower-case hexadecimal as bytes; empty when the text is no such thing.
std::string hexToBytes(std::string_view text) {
  if (text.empty() || text.size() % 2 != 0) return {};
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hexDigit(text[i]), low = hexDigit(text[i + 1]);
    if (high < 0 || low < 0) return {};
    bytes += char(high << 4 | low);
  }
  return bytes;
}

std::string bytesToHex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[std::uint8_t(byte) >> 4];
    text += kDigits[std::uint8_t(byte) & 15];
  }
  return text;
}

void bindProgram(Statement& statement, int index, const std::string& program) {
  const std::string bytes = hexToBytes(program);
  if (bytes.empty())
    statement.bindAt(index, program);
  else
    statement.bindBlob(index, bytes);
}

void requireSensible(const Record& record) {
  if (record.trial < 1)
    throw InputError(fmt::format("trials count from 1, and this record has {}", record.trial));
  if (record.result.verdict != Verdict::Ok) return;
  const double seconds = record.result.median();
  const auto& repeats = record.result.seconds;
  const bool positive = std::all_of(repeats.begin(), repeats.end(), [](double s) { return s > 0; });
  if (!positive || !(seconds > 0) || !std::isfinite(seconds))
    throw InputError(
        fmt::format("trial {} of session {} ended well in {} s, which cannot be a time",
                    record.trial, record.session, seconds));
}

} // namespace

std::string readProgramId(const sqlite::Statement& row, int column) {
  return row.isBlob(column) ? bytesToHex(row.view(column)) : row.text(column);
}

bool eligible(const Record& record) {
  return record.result.verdict == Verdict::Ok && record.verified && !record.implausible &&
         !record.contested && !record.forgotten;
}

RowId RecordStore::Impl::shapeId(const std::string& shape) {
  if (const auto known = shapeIds.find(shape); known != shapeIds.end()) return known->second;
  const auto hash = std::int64_t(hash64(shape));
  RowId id = 0;
  Statement find = db.prepare("SELECT id, steps FROM shape WHERE hash = ?");
  find.bind(hash);
  while (id == 0 && find.step())
    if (find.view(1) == shape) id = find.integer(0);
  if (id == 0) {
    Statement insert = db.prepare("INSERT INTO shape (hash, steps) VALUES (?, ?)");
    insert.bindAt(1, hash).bindBlob(2, shape).run();
    id = db.lastInsertId();
  }
  if (shapeIds.size() >= kCachedShapes) shapeIds.clear();
  return shapeIds[shape] = id;
}

const std::string& RecordStore::Impl::shape(RowId id) {
  if (const auto known = shapes.find(id); known != shapes.end()) return known->second;
  Statement find = db.prepare("SELECT steps FROM shape WHERE id = ?");
  if (!find.bind(id).step())
    throw InputError(fmt::format("{}: the file is damaged: shape {} is missing", db.path(), id));
  if (shapes.size() >= kCachedShapes) shapes.clear();
  return shapes[id] = find.text(0);
}

RowId RecordStore::addRecord(const Record& record) {
  requireSensible(record);
  RowId id = 0;
  transaction([&] { id = impl_->insertRecord(record); });
  return id;
}

RowId RecordStore::Impl::insertRecord(const Record& record) {
  requireSession(record.session);
  const bool best = becomesBest(record); // throws for an unknown task
  {
    Statement twice = db.prepare("SELECT id FROM record WHERE session = ? AND trial = ?");
    if (twice.bind(record.session, record.trial).step())
      throw InputError(fmt::format("{}: session {} already has a trial {}: record {}", db.path(),
                                   record.session, record.trial, twice.integer(0)));
  }
  const EncodedSteps steps = encodeSteps(record.steps);
  const RowId shapeOfSteps = shapeId(steps.shape);
  const bool ok = record.result.verdict == Verdict::Ok;
  Statement insert = db.prepare(
      "INSERT INTO record (session, task, trial, verdict, flags, seconds, wall_seconds, shape, "
      "step_values, program, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(record.session, record.task, record.trial, codeOf(record.result.verdict),
              (record.verified ? recordflag::kVerified : 0) |
                  (record.implausible ? recordflag::kImplausible : 0) |
                  (best ? recordflag::kBest : 0) | (record.contested ? recordflag::kContested : 0) |
                  (record.onDemand ? recordflag::kOnDemand : 0));
  if (ok)
    insert.bindAt(6, record.result.median());
  else
    insert.bindAt(6, nullptr);
  insert.bindAt(7, record.wallSeconds).bindAt(8, shapeOfSteps).bindBlob(9, steps.values);
  bindProgram(insert, 10, record.program);
  insert.bindBlob(11, encodeDetails(record.result)).run();
  const RowId id = db.lastInsertId();
  insertTexts(id, record);
  if (record.onDemand) {
    Statement demand = db.prepare("INSERT INTO on_demand (record, original) VALUES (?, ?)");
    demand.bindAt(1, id);
    bindReference(demand, 2, record.original);
    demand.run();
  }
  count(id, record, best);
  return id;
}

void RecordStore::addRepeats(RowId id, const std::vector<double>& seconds, bool confirmed) {
  transaction([&] {
    std::optional<Record> record = impl_->record(id);
    if (!record || !record->contested)
      throw InputError(
          fmt::format("{}: record {} {}", path(), id,
                      record ? "claims nothing that could be confirmed" : "is not in the file"));
    record->result.seconds.insert(record->result.seconds.end(), seconds.begin(), seconds.end());
    record->contested = !confirmed;
    requireSensible(*record);
    const bool best = impl_->becomesBest(*record);
    impl_->db
        .prepare("UPDATE record SET seconds = ?, details = ?, flags = (flags & ~12) | ? "
                 "WHERE id = ?")
        .bindAt(1, record->result.median())
        .bindBlob(2, encodeDetails(record->result))
        .bindAt(3,
                (best ? recordflag::kBest : 0) | (record->contested ? recordflag::kContested : 0))
        .bindAt(4, id)
        .run();
    if (best)
      impl_->db.prepare("UPDATE task_summary SET best_record = ?, best_seconds = ? WHERE task = ?")
          .bind(id, record->result.median(), record->task)
          .run();
  });
}

void RecordStore::Impl::insertTexts(RowId id, const Record& record) {
  if (!record.result.error.empty()) {
    Statement insert = db.prepare("INSERT INTO error (record, text) VALUES (?, ?)");
    insert.bindAt(1, id);
    bindPacked(insert, 2, boundedText(record.result.error));
    insert.run();
  }
  if (!record.trace.empty()) {
    Statement insert = db.prepare("INSERT INTO trace (record, text) VALUES (?, ?)");
    insert.bindAt(1, id);
    bindPacked(insert, 2, record.trace);
    insert.run();
  }
}

bool RecordStore::Impl::becomesBest(const Record& record) {
  Statement find = db.prepare("SELECT best_seconds FROM task_summary WHERE task = ?");
  if (!find.bind(record.task).step())
    throw InputError(fmt::format("{}: there is no task {} in the file", db.path(), record.task));
  const double best = find.isNull(0) ? kInfinity : find.real(0);
  return eligible(record) && record.result.median() < best; // of equal ones the earlier stays
}

void RecordStore::Impl::count(RowId id, const Record& record, bool best) {
  const int error = record.result.verdict == Verdict::Ok ? 0 : 1;
  const double kernelSeconds = record.result.runSeconds;
  db.prepare("UPDATE task_summary SET trials = trials + 1, errors = errors + ?, "
             "kernel_seconds = kernel_seconds + ? WHERE task = ?")
      .bind(error, kernelSeconds, record.task)
      .run();
  if (best)
    db.prepare("UPDATE task_summary SET best_record = ?, best_seconds = ? WHERE task = ?")
        .bind(id, record.result.median(), record.task)
        .run();
  addToTally(db, {record.task, record.session, codeOf(record.result.verdict), 1, id, id},
             kernelSeconds);
}

std::optional<Record> RecordStore::Impl::record(RowId id) {
  Statement row = db.prepare(
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
      Statement demand = db.prepare("SELECT original FROM on_demand WHERE record = ?");
      if (demand.bind(id).step()) record.original = demand.integer(0);
    }
    record.wallSeconds = row.real(5);
    if (row.view(9).empty()) {
      readImported(record, row.integer(6));
    } else {
      record.steps = decodeSteps(shape(row.integer(6)), row.view(7));
      record.program = readProgramId(row, 8);
      decodeDetails(row.view(9), record.result);
    }
    if (!row.isNull(10)) record.result.error = readPacked(row, 10);
    if (!row.isNull(11)) record.trace = readPacked(row, 11);
    readTags(record);
    return record;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: record {}: {}", db.path(), id, error.what()));
  }
}

std::optional<Record> RecordStore::record(RowId id) const {
  return impl_->record(id);
}

std::vector<Record> RecordStore::records(const RecordQuery& query) const {
  const QuerySql sql = impl_->conditions(query);
  const sqlite::Snapshot moment(impl_->db);
  std::vector<Record> records;
  for (const RowId id : impl_->select(query, sql))
    if (auto record = impl_->record(id)) records.push_back(std::move(*record));
  return records;
}

std::int64_t RecordStore::recordCount(RowId task) const {
  if (task == 0) return impl_->db.integer("SELECT ifnull(sum(trials), 0) FROM task_summary");
  return summary(task).trials;
}

std::optional<Record> RecordStore::best(RowId task) const {
  const RowId id = summary(task).bestRecord;
  return id == 0 ? std::nullopt : impl_->record(id);
}

std::vector<VerdictCount> RecordStore::verdictCounts(RowId session, RowId task) const {
  std::vector<VerdictCount> counts;
  Statement rows = impl_->db.prepare(
      "SELECT verdict, sum(records) FROM tally WHERE (?1 = 0 OR session = ?1) AND "
      "(?2 = 0 OR task = ?2) AND verdict < ?3 GROUP BY verdict HAVING sum(records) > 0 "
      "ORDER BY verdict");
  rows.bind(session, task, kForgottenCode);
  while (rows.step())
    counts.push_back({verdictOf(rows.integer(0)), rows.integer(1)});
  return counts;
}

std::vector<std::string> RecordStore::measuredPrograms(RowId session, RowId task) const {
  std::vector<std::string> programs;
  Statement rows = impl_->db.prepare(
      "SELECT program FROM record INDEXED BY record_by_group WHERE task = ? AND session = ? "
      "AND verdict < ? ORDER BY id");
  rows.bind(task, session, kForgottenCode);
  while (rows.step())
    programs.push_back(readProgramId(rows, 0));
  return programs;
}

std::vector<CurvePoint> RecordStore::curve(RowId session, std::int64_t afterTrial,
                                           int limit) const {
  std::vector<CurvePoint> points;
  Statement rows = impl_->db.prepare(
      "SELECT trial, wall_seconds, seconds, task, id, flags, verdict FROM record "
      "INDEXED BY record_by_trial WHERE session = ? AND trial > ? AND verdict < ? "
      "ORDER BY trial LIMIT ?");
  rows.bind(session, afterTrial, kForgottenCode, limit);
  while (rows.step())
    points.push_back({rows.integer(0), rows.real(1), rows.isNull(2) ? kInfinity : rows.real(2),
                      rows.integer(3), rows.integer(4), (rows.integer(5) & recordflag::kBest) != 0,
                      verdictOf(rows.integer(6)), (rows.integer(5) & recordflag::kOnDemand) != 0});
  return points;
}

} // namespace nestwright
