#include "core/record/care/merge_records.h"

#include "core/record/format/columns.h"
#include "core/record/format/import_rows.h"
#include "core/record/format/record_flags.h"
#include "core/record/format/result_codec.h"
#include "core/record/intake/import_tables.h"
#include "core/record/select/record_cells.h"
#include "core/record/store/record_sums.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/support/infinity.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace nestwright {

namespace {

using sqlite::Statement;

/// Identities in memory, about 40 bytes each; beyond, tasks are read again.
constexpr std::size_t kMostIdentities = 8 << 20;

/// Tables that are taken over in ways of their own, or not at all.
bool isRecordTable(sqlite::Database& db, const std::string& table) {
  if (table == "network_choice_task" || table == "record_block" || table == "trace") return false;
  Statement key = db.prepare("SELECT 1 FROM pragma_foreign_key_list(?) WHERE \"table\" = 'record' "
                             "AND \"from\" = 'record'");
  return key.bind(table).step();
}

/// What tells two measurements of a session apart, whatever was found out about them later.
std::uint64_t contentOf(std::string_view program, double wallSeconds, std::int64_t startedAt) {
  const std::uint64_t numbers[] = {hash64(program), std::bit_cast<std::uint64_t>(wallSeconds),
                                   std::uint64_t(startedAt)};
  return hash64(std::string_view(reinterpret_cast<const char*>(numbers), sizeof numbers));
}

/// The same of a row: program, wall_seconds, details from this column on. 0 for an imported one.
std::uint64_t contentOf(const Statement& row, int column) {
  if (row.view(column + 2).empty()) return 0;
  MeasureResult result;
  decodeDetails(row.view(column + 2), result);
  return contentOf(row.view(column), row.real(column + 1), result.startedAt);
}

/// What the events of the file's sessions tell: a session may forget records of another one.
std::unordered_map<RowId, std::int64_t> markTimesOf(sqlite::Database& db) {
  std::unordered_map<RowId, std::int64_t> times;
  Statement rows = db.prepare("SELECT at, json FROM event WHERE kind = (SELECT id FROM event_kind "
                              "WHERE name = 'forgotten')");
  while (rows.step()) {
    const nlohmann::json event = nlohmann::json::parse(readPacked(rows, 1), nullptr, false);
    if (!event.is_object() || !event.contains("records")) continue;
    for (const nlohmann::json& record : event["records"]) {
      if (!record.is_number_integer()) continue;
      std::int64_t& at = times[record.get<RowId>()];
      at = std::max(at, rows.integer(0));
    }
  }
  return times;
}

} // namespace

struct RecordMerge::Row {
  const Statement& columns; // at its place, the fixed ones first
  RowId id, session, task;  // session and task as in `into`
  std::int64_t trial;
  int code, flags;
  std::string_view program, details;
  double wallSeconds, seconds; // infinity without a time

  bool forgotten() const { return (code & kForgottenCode) != 0; }
};

/// What is known of a measured record beside whether it is forgotten.
struct RecordMerge::Findings {
  int verdict, flags; // the verdict's code; no flag of a best
  std::string details;
  MeasureResult result; // of them

  Findings(int code, int allFlags, std::string_view bytes)
      : verdict(code & ~kForgottenCode), flags(allFlags & ~recordflag::kBest), details(bytes) {
    decodeDetails(bytes, result);
    result.verdict = verdictOf(verdict);
  }

  /// Adds what another file knows. Which of the two is the other one makes no difference.
  void add(Findings other) {
    if (verdict != other.verdict) { // it ended well, and a later comparison found it wrong
      if (verdict == 0) *this = std::move(other);
      return;
    }
    const auto &ours = result.seconds, &theirs = other.result.seconds;
    if (theirs.size() != ours.size() ? theirs.size() > ours.size() : theirs > ours)
      std::swap(*this, other);
    if ((other.flags & ~flags & recordflag::kVerified) == 0) return;
    flags |= recordflag::kVerified;
    result.checked = other.result.checked;
    result.maxRelativeError = other.result.maxRelativeError;
    details = encodeDetails(result);
  }
};

namespace {
constexpr const char* kFixed = "id, session, task, trial, verdict, flags, seconds, wall_seconds, "
                               "shape, program, details";
constexpr int kShapeColumn = 8, kFixedColumns = 11;
} // namespace

RecordMerge::RecordMerge(MergeFiles& files, std::set<RowId> met, MergeReport& report)
    : files_(files), met_(std::move(met)), report_(report),
      columns_(mergedColumns(files, "record")) {
  for (const std::string& table : tablesOf(files.into))
    if (isRecordTable(files.into, table)) recordTables_.push_back(table);
  select_ = fmt::format("SELECT {}, {} FROM record ORDER BY id", kFixed, columnList(columns_));
  std::string marks;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    marks += i == 0 ? "?" : ", ?";
  insert_ = fmt::format("INSERT INTO record ({}) VALUES ({})", columnList(columns_), marks);
  rows_.emplace(files.from.prepare(select_));
}

bool RecordMerge::takeSome(std::int64_t records) {
  firstOfPart_ = 0;
  if (identityCount_ > kMostIdentities) { // here, where no block is half taken in
    identities_.clear();
    identityCount_ = 0;
  }
  bool more = true;
  // Never half a block: its records must follow one another.
  for (std::int64_t taken = 0; taken < records || block_; ++taken) {
    more = rows_->step();
    if (!more) {
      if (block_) finishBlock();
      break;
    }
    const Statement& r = *rows_;
    const Row row{r,
                  r.integer(0),
                  files_.rows["session"].find(r.integer(1)),
                  files_.rows["task"].find(r.integer(2)),
                  r.integer(3),
                  int(r.integer(4)),
                  int(r.integer(5)),
                  r.view(9),
                  r.view(10),
                  r.real(7),
                  r.isNull(6) ? kInfinity : r.real(6)};
    if (row.session == 0 || row.task == 0)
      throw InputError(fmt::format("{}: the file is damaged: record {} belongs to no session or "
                                   "no task",
                                   files_.from.path(), row.id));
    if (firstOfPart_ == 0) firstOfPart_ = row.id;
    lastOfPart_ = row.id;
    take(row);
    ++done_;
  }
  finishPart();
  return more;
}

void RecordMerge::take(const Row& row) {
  try {
    if (row.details.empty())
      takeImported(row);
    else
      takeMeasured(row);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: record {}: {}", files_.from.path(), row.id, error.what()));
  }
}

void RecordMerge::takeMeasured(const Row& row) {
  if (block_) finishBlock();
  MeasureResult result;
  decodeDetails(row.details, result);
  if (met_.contains(row.session)) {
    const std::uint64_t content = contentOf(row.program, row.wallSeconds, result.startedAt);
    if (const RowId there = metRecord(row, content); there != 0) return meet(row, there);
  }
  files_.rows["record"].add(row.id, insert(row, result.runSeconds));
}

/// The record of a session that both files have, in `into`; 0 when it is new there.
RowId RecordMerge::metRecord(const Row& row, std::uint64_t content) {
  Statement same =
      files_.into.prepare("SELECT id, program, wall_seconds, details FROM record "
                          "INDEXED BY record_by_trial WHERE session = ? AND trial = ?");
  if (!same.bind(row.session, row.trial).step()) return 0;
  if (contentOf(same, 1) == content) return same.integer(0);
  // Both files went on with the session: its other trials may have come under other numbers.
  const auto [place, isNew] = contents_.try_emplace(row.session);
  if (isNew) {
    Statement all = files_.into.prepare("SELECT id, program, wall_seconds, details FROM record "
                                        "INDEXED BY record_by_trial WHERE session = ?");
    all.bind(row.session);
    while (all.step())
      place->second.try_emplace(contentOf(all, 1), all.integer(0));
  }
  const auto found = place->second.find(content);
  return found == place->second.end() ? 0 : found->second;
}

/// A record that both have. One of the files may have found out more about it: neither the session
/// that went on last nor the order decides, since each may have found something (C29). The text of
/// an error comes with those of the part.
void RecordMerge::meet(const Row& row, RowId into) {
  files_.rows["record"].add(row.id, into);
  ++report_.known;
  Statement there = files_.into.prepare("SELECT details, flags, verdict FROM record WHERE id = ?");
  if (!there.bind(into).step() || there.view(0).empty()) return;
  const int oldFlags = int(there.integer(1)), oldCode = int(there.integer(2));
  if (there.view(0) == row.details && oldCode == row.code &&
      ((oldFlags ^ row.flags) & ~recordflag::kBest) == 0)
    return;
  Findings found(oldCode, oldFlags, there.view(0));
  found.add(Findings(row.code, row.flags, row.details));
  const bool forgotten = isForgotten(row, into, (oldCode & kForgottenCode) != 0);
  const int code = found.verdict | (forgotten ? kForgottenCode : 0);
  const int flags = found.flags | (code == 0 ? oldFlags & recordflag::kBest : 0);
  if (code == oldCode && flags == oldFlags && there.view(0) == found.details) return;
  Statement update = files_.into.prepare(
      "UPDATE record SET details = ?, seconds = ?, flags = ?, verdict = ? WHERE id = ?");
  update.bindBlob(1, found.details);
  if (found.verdict == 0)
    update.bindAt(2, found.result.latency());
  else
    update.bindAt(2, nullptr);
  update.bindAt(3, flags).bindAt(4, code).bindAt(5, into).run();
  noteChange(row, into, oldCode, code, found.result.runSeconds);
}

/// Of a record that a log told nothing is found out; it may have been forgotten in its session.
void RecordMerge::meetImported(const Row& row, RowId into, const ImportedItem& item) {
  files_.rows["record"].add(row.id, into);
  ++report_.known;
  if (!met_.contains(row.session)) return;
  Statement there = files_.into.prepare("SELECT session, verdict FROM record WHERE id = ?");
  if (!there.bind(into).step() || there.integer(0) != row.session) return; // of another log
  const int oldCode = int(there.integer(1));
  const bool forgotten = isForgotten(row, into, (oldCode & kForgottenCode) != 0);
  const int code = (oldCode & ~kForgottenCode) | (forgotten ? kForgottenCode : 0);
  if (code == oldCode) return;
  files_.into.prepare("UPDATE record SET verdict = ? WHERE id = ?").bind(code, into).run();
  MeasureResult result;
  decodeOutcome(item.outcome, result);
  noteChange(row, into, oldCode, code, result.runSeconds);
}

/// Whether a record is forgotten of which `here` says whether it is in `into`: where the files do
/// not agree, as it was marked last.
bool RecordMerge::isForgotten(const Row& row, RowId into, bool here) {
  if (row.forgotten() == here) return here;
  if (!marksFrom_) marksFrom_ = markTimesOf(files_.from);
  if (!marksInto_) marksInto_ = markTimesOf(files_.into);
  const auto timeOf = [](const MarkTimes& times, RowId record) {
    const auto marked = times.find(record);
    return marked == times.end() ? std::int64_t(0) : marked->second;
  };
  const std::int64_t theirs = timeOf(*marksFrom_, row.id), ours = timeOf(*marksInto_, into);
  if (theirs == ours) return true; // nobody tells: it was not forgotten at first
  return theirs > ours ? row.forgotten() : here;
}

/// A record of `into` whose verdict had one code has another one now, or something else is known of
/// it: the sums, and at the end of the part the bests, are as if that had been so at once.
void RecordMerge::noteChange(const Row& row, RowId into, int from, int to, double kernelSeconds) {
  changedTasks_.insert(row.task);
  ++report_.updated;
  if (from == to) return;
  Record record;
  record.id = into, record.session = row.session, record.task = row.task;
  record.result.runSeconds = kernelSeconds;
  record.result.verdict = verdictOf(from & ~kForgottenCode);
  if ((from & kForgottenCode) != 0) setForgottenInSums(files_.into, record, false);
  const Verdict verdict = verdictOf(to & ~kForgottenCode);
  if (verdict != record.result.verdict) setErrorInSums(files_.into, record, verdict);
  record.result.verdict = verdict;
  if ((to & kForgottenCode) != 0) setForgottenInSums(files_.into, record, true);
}

void RecordMerge::openBlock(RowId record) {
  block_ = blockOf(files_.from, record);
  blockSource_ = files_.rows["import_source"].find(block_->source);
  if (blockSource_ == 0)
    throw InputError("the file is damaged: the block that holds it is incomplete");
  kept_.clear();
}

void RecordMerge::takeImported(const Row& row) {
  // Of a part of a file, a block's last records may be hidden.
  if (block_ && !block_->holds(row.id)) finishBlock();
  if (!block_) openBlock(row.id);
  const auto index = std::size_t(row.id - block_->first);
  const ImportedItem& item = block_->item(row.id);
  const Verdict verdict = verdictOf(row.code & ~kForgottenCode);
  const std::uint64_t identity =
      importIdentity(verdict, shape(row.columns.integer(kShapeColumn)).steps, item);
  auto& known = identities(row.task);
  const auto [place, isNew] = known.try_emplace(identity, 0);
  if (!isNew) {
    meetImported(row, place->second, item);
  } else {
    MeasureResult result;
    decodeOutcome(item.outcome, result);
    place->second = insert(row, result.runSeconds);
    ++identityCount_;
    files_.rows["record"].add(row.id, place->second);
    if (kept_.empty()) keptFirst_ = place->second;
    kept_.push_back(index);
  }
  if (index + 1 == block_->content.items.size()) finishBlock();
}

void RecordMerge::finishBlock() {
  const auto records = std::int64_t(kept_.size());
  if (records > 0) {
    const ImportedBlock& whole = block_->content;
    if (kept_.size() < whole.items.size()) {
      ImportedBlock part{whole.origins, {}};
      for (const std::size_t index : kept_)
        part.items.push_back(whole.items[index]);
      block_->bytes = encodeBlock(part);
    }
    files_.into
        .prepare("INSERT INTO record_block (first, source, records, bytes) VALUES (?, ?, ?, ?)")
        .bind(keptFirst_, blockSource_, records)
        .bindBlob(4, block_->bytes)
        .run();
    files_.into
        .prepare(
            "UPDATE import_source SET lines = lines + ?1, records = records + ?1 WHERE id = ?2")
        .bind(records, blockSource_)
        .run();
  }
  block_.reset();
}

RowId RecordMerge::insert(const Row& row, double kernelSeconds) {
  const bool best = mayBeBest(row.code, row.flags) && becomesBest(row.task, row.seconds);
  const int flags = (row.flags & ~recordflag::kBest) | (best ? recordflag::kBest : 0);
  Statement insert = files_.into.prepare(insert_);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string& name = columns_[i].name;
    const int index = int(i) + 1;
    if (name == "flags")
      insert.bindAt(index, flags);
    else if (name == "trial")
      insert.bindAt(index, freeTrial(row));
    else if (name == "shape")
      insert.bindAt(index, shape(row.columns.integer(kShapeColumn)).into);
    else
      bindMerged(files_, insert, index, columns_[i], row.columns, kFixedColumns + int(i));
  }
  insert.run();
  const RowId id = files_.into.lastInsertId();
  if (best) {
    setBest(files_.into, row.task, id, row.seconds);
    bests_[row.task] = row.seconds;
  }
  Tally& tally = tallies_[{row.session, row.task, row.code}];
  ++tally.records;
  tally.kernelSeconds += kernelSeconds;
  if (tally.first == 0) tally.first = id;
  tally.last = id;
  ++report_.records;
  return id;
}

/// The record's own number, or the next one where the session has another trial of that number.
std::int64_t RecordMerge::freeTrial(const Row& row) {
  if (!met_.contains(row.session)) return row.trial;
  Statement taken = files_.into.prepare("SELECT 1 FROM record INDEXED BY record_by_trial WHERE "
                                        "session = ? AND trial = ?");
  if (!taken.bind(row.session, row.trial).step()) return row.trial;
  Statement last = files_.into.prepare("SELECT max(trial) + 1 FROM record WHERE session = ?");
  last.bind(row.session).step();
  return last.integer(0);
}

const RecordMerge::Shape& RecordMerge::shape(RowId from) {
  if (const auto known = shapes_.find(from); known != shapes_.end()) return known->second;
  Statement find = files_.from.prepare("SELECT steps FROM shape WHERE id = ?");
  if (!find.bind(from).step())
    throw InputError(fmt::format("the file is damaged: shape {} is missing", from));
  if (shapes_.size() >= kMostShapes) shapes_.clear();
  Shape shape{0, find.text(0)};
  shape.into = storedShape(files_.into, shape.steps);
  return shapes_[from] = std::move(shape);
}

std::unordered_map<std::uint64_t, RowId>& RecordMerge::identities(RowId task) {
  const auto [place, isNew] = identities_.try_emplace(task);
  if (!isNew) return place->second;
  auto& known = place->second;
  forEachIdentity(files_.into, task,
                  [&](RowId id, std::uint64_t identity) { known.emplace(identity, id); });
  identityCount_ += known.size();
  return known;
}

bool RecordMerge::becomesBest(RowId task, double seconds) {
  const auto [place, isNew] = bests_.try_emplace(task, kInfinity);
  if (isNew) {
    Statement best = files_.into.prepare("SELECT best_seconds FROM task_summary WHERE task = ?");
    if (best.bind(task).step() && !best.isNull(0)) place->second = best.real(0);
  }
  return seconds < place->second;
}

/// How the part's records came to be: a trace may name another record, which has its place since it
/// is older, or stays behind.
void RecordMerge::takeTraces() {
  Statement rows =
      files_.from.prepare("SELECT record, text FROM trace WHERE record BETWEEN ? AND ?");
  rows.bind(firstOfPart_, lastOfPart_);
  while (rows.step()) {
    const RowId record = files_.rows["record"].find(rows.integer(0));
    if (record == 0) continue;
    Statement insert =
        files_.into.prepare("INSERT OR IGNORE INTO trace (record, text) VALUES (?, ?)");
    insert.bindAt(1, record);
    const std::string text = readPacked(rows, 1);
    if (text.find(R"("source")") == std::string::npos)
      insert.bindColumn(2, rows, 1);
    else
      bindPacked(insert, 2, renumbered(files_, text));
    insert.run();
  }
}

void RecordMerge::finishPart() {
  for (const auto& [key, tally] : tallies_) {
    const auto& [session, task, code] = key;
    const bool forgotten = (code & kForgottenCode) != 0;
    files_.into
        .prepare("UPDATE task_summary SET trials = trials + ?, errors = errors + ?, "
                 "kernel_seconds = kernel_seconds + ? WHERE task = ?")
        .bind(forgotten ? std::int64_t(0) : tally.records,
              forgotten || code == 0 ? std::int64_t(0) : tally.records, tally.kernelSeconds, task)
        .run();
    addToTally(files_.into, {task, session, code, tally.records, tally.first, tally.last},
               tally.kernelSeconds);
  }
  tallies_.clear();
  bests_.clear();
  if (firstOfPart_ != 0)
    for (const std::string& table : recordTables_)
      copyRows(files_, table, firstOfPart_, lastOfPart_);
  if (firstOfPart_ != 0) takeTraces();
  for (const RowId task : changedTasks_)
    chooseBests(files_.into, task);
  changedTasks_.clear();
}

} // namespace nestwright
