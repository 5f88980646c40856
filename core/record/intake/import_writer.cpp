#include "core/record/intake/import_writer.h"

#include "core/record/file/database_file.h"
#include "core/record/format/result_codec.h"
#include "core/record/intake/import_tables.h"
#include "core/record/select/record_cells.h"
#include "core/record/store/store.h"
#include "core/support/error.h"
#include "core/support/hash.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace nestwright {

namespace {

using sqlite::Statement;

/// More records in a block are smaller together, and slower to read one by one.
constexpr std::size_t kBlockRecords = 512;
/// A block of long configurations ends earlier.
constexpr std::size_t kBlockBytes = 1 << 20;
/// Hashes of what tasks hold already, to know duplicates by; beyond, tasks are looked up again.
constexpr std::size_t kMostKnown = 16 << 20;

} // namespace

std::uint64_t importIdentity(Verdict verdict, std::string_view shape, const ImportedItem& item) {
  const std::uint64_t numbers[] = {hash64(shape),
                                   hash64(item.values),
                                   hash64(item.outcome),
                                   std::uint64_t(item.startedAt),
                                   std::uint64_t(item.spelling.startUlps),
                                   std::uint64_t(item.spelling.wholeSeconds),
                                   std::uint64_t(codeOf(verdict)) << 1 | (item.isConfig ? 1 : 0)};
  return hash64(std::string_view(reinterpret_cast<const char*>(numbers), sizeof numbers));
}

ImportWriter::ImportWriter(const std::string& path)
    : db_(openDatabaseFile(path, OpenMode::Create)) {
  // NORMAL: a power cut may take the last transactions, but the progress that is stored with them
  // goes too, so the next import brings them back. Checkpoints are rarer, since pages of the
  // indexes change again and again.
  db_.execute("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 16384; "
              "PRAGMA cache_size = -131072");
}

ImportWriter::~ImportWriter() = default;

void ImportWriter::transaction(const std::function<void()>& body) {
  // Others that wait to write, such as a running session, get their turn between two of them.
  constexpr std::chrono::milliseconds kTurn{4};
  std::this_thread::sleep_for(kTurn);
  db_.transaction([&] {
    Statement last = db_.prepare("SELECT ifnull(max(trial), 0) FROM record WHERE session = ?");
    last.bind(session_).step();
    trial_ = last.integer(0);
    last.reset();
    body();
    finishBlock();
    finishTallies();
  });
}

RowId ImportWriter::useSession(const SessionRow& row) {
  Statement find = db_.prepare("SELECT id FROM session WHERE title = ? AND "
                               "instr(config, '\"import\"') > 0 ORDER BY id LIMIT 1");
  session_ = find.bind(row.title).step() ? find.integer(0) : 0;
  if (session_ == 0) wanted_ = row;
  return session_;
}

/// A session without records would look like a loss: what is known already is in another one.
void ImportWriter::makeSession() {
  const SessionRow& row = wanted_;
  db_.prepare("INSERT INTO session (network, title, config, status, created_at, updated_at, "
              "wall_seconds, scheduler_state, product) VALUES (NULL, ?, ?, ?, ?, ?, 0, ?, ?)")
      .bind(row.title, row.config, name(row.status), row.createdAt, row.updatedAt,
            row.schedulerState, row.product)
      .run();
  session_ = db_.lastInsertId();
  for (const RowId source : std::exchange(sessionless_, {}))
    db_.prepare("UPDATE import_source SET session = ? WHERE id = ?").bind(session_, source).run();
}

/// Lists the task among those of the session, once it has a record of it.
void ImportWriter::listTask(RowId task) {
  if (listed_.insert(task).second) importSessionTask(db_, session_, task);
}

void ImportWriter::updateSession(const SessionRow& row) {
  if (session_ == 0) return;
  db_.transaction([&] {
    db_.prepare("UPDATE session SET config = ?, status = ?, updated_at = ? WHERE id = ?")
        .bind(row.config, name(row.status), row.updatedAt, session_)
        .run();
  });
}

std::int64_t ImportWriter::sessionRecords() {
  Statement sum = db_.prepare("SELECT ifnull(sum(records), 0) FROM tally WHERE session = ?");
  sum.bind(session_).step();
  return sum.integer(0);
}

RowId ImportWriter::task(const ImportedTask& task, const std::function<TaskKnowledge()>& describe) {
  if (const auto known = tasks_.find(task); known != tasks_.end()) return known->second;
  const TaskKnowledge knowledge = describe();
  const RowId targetId = importTarget(db_, task, knowledge);
  return tasks_[task] = importTask(db_, task.key, targetId, knowledge);
}

void ImportWriter::complete(RowId task, const TaskKnowledge& knowledge) {
  completeTask(db_, task, knowledge);
}

RowId ImportWriter::shapeId(const std::string& shape) {
  if (const auto known = shapes_.find(shape); known != shapes_.end()) return known->second;
  if (shapes_.size() >= kMostShapes) shapes_.clear();
  return shapes_[shape] = storedShape(db_, shape);
}

HashSet& ImportWriter::known(RowId task) {
  const auto [place, isNew] = known_.try_emplace(task);
  if (!isNew) return place->second;
  if (knownTotal_ > kMostKnown) {
    known_.clear();
    knownTotal_ = 0;
    return known(task);
  }
  finishBlock(); // it may hold records of the task, which are read from the file here
  HashSet& set = place->second;
  forEachIdentity(db_, task, [&](RowId, std::uint64_t identity) { set.insert(identity); });
  knownTotal_ += set.size();
  return set;
}

bool ImportWriter::add(const ImportedRecord& record, RowId task, const ImportedTask& from,
                       const ImportSource& source) {
  HashSet& set = known(task);
  if (!set.insert(record.identity)) return false;
  ++knownTotal_;
  if (session_ == 0) makeSession();
  listTask(task);
  if (block_.items.size() >= kBlockRecords || blockBytes_ >= kBlockBytes ||
      sourceOfBlock_ != source.id)
    finishBlock();
  const int code = codeOf(record.verdict);
  Statement insert = db_.prepare(
      "INSERT INTO record (session, task, trial, verdict, flags, seconds, wall_seconds, shape, "
      "step_values, program, details) VALUES (?, ?, ?, ?, 0, ?, 0, ?, x'', x'', x'')");
  insert.bind(session_, task, ++trial_, code);
  if (record.verdict == Verdict::Ok)
    insert.bindAt(5, record.seconds);
  else
    insert.bindAt(5, nullptr);
  insert.bindAt(6, shapeId(record.shape)).run();
  const RowId id = db_.lastInsertId();
  if (block_.items.empty()) firstOfBlock_ = id, sourceOfBlock_ = source.id;
  addToBlock(record.item, from.origin);
  Tally& tally = tallies_[{task, code}];
  ++tally.records;
  tally.kernelSeconds += record.allSeconds;
  if (tally.first == 0) tally.first = id;
  tally.last = id;
  return true;
}

void ImportWriter::addToBlock(const ImportedItem& item, const std::string& origin) {
  std::size_t index = 0;
  while (index < block_.origins.size() && block_.origins[index] != origin)
    ++index;
  if (index == block_.origins.size()) block_.origins.push_back(origin);
  block_.items.push_back(item);
  block_.items.back().origin = int(index);
  blockBytes_ += item.values.size() + item.outcome.size();
}

void ImportWriter::finishBlock() {
  if (block_.items.empty()) return;
  Statement insert =
      db_.prepare("INSERT INTO record_block (first, source, records, bytes) VALUES (?, ?, ?, ?)");
  insert.bind(firstOfBlock_, sourceOfBlock_, std::int64_t(block_.items.size()));
  insert.bindBlob(4, encodeBlock(block_)).run();
  block_ = {};
  blockBytes_ = 0;
}

void ImportWriter::finishTallies() {
  for (const auto& [key, tally] : tallies_) {
    const auto& [task, code] = key;
    db_.prepare("UPDATE task_summary SET trials = trials + ?, errors = errors + ?, "
                "kernel_seconds = kernel_seconds + ? WHERE task = ?")
        .bind(tally.records, code == 0 ? std::int64_t(0) : tally.records, tally.kernelSeconds, task)
        .run();
    addToTally(db_, {task, session_, code, tally.records, tally.first, tally.last},
               tally.kernelSeconds);
  }
  tallies_.clear();
}

std::optional<ImportSource>
ImportWriter::findSource(const std::string& path,
                         const std::function<std::uint64_t(std::int64_t)>& headHash) {
  Statement rows = db_.prepare(
      "SELECT id, session, head_bytes, head_hash, offset, file_bytes, lines, records, duplicates, "
      "comments, broken, finished FROM import_source WHERE path = ? ORDER BY id DESC");
  rows.bind(path);
  while (rows.step()) {
    ImportSource source;
    source.headBytes = rows.integer(2);
    source.headHash = std::uint64_t(rows.integer(3));
    if (headHash(source.headBytes) != source.headHash) continue;
    source.path = path;
    source.id = rows.integer(0), source.session = rows.integer(1);
    source.offset = rows.integer(4), source.fileBytes = rows.integer(5);
    source.lines = rows.integer(6), source.records = rows.integer(7);
    source.duplicates = rows.integer(8), source.comments = rows.integer(9);
    source.broken = rows.integer(10), source.finished = rows.integer(11) != 0;
    return source;
  }
  return std::nullopt;
}

void ImportWriter::addSource(ImportSource& source) {
  source.session = session_;
  db_.prepare("INSERT INTO import_source (session, path, head_bytes, head_hash, offset, "
              "file_bytes, lines, records, duplicates, comments, broken, finished) "
              "VALUES (nullif(?, 0), ?, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0)")
      .bind(session_, source.path, source.headBytes, std::int64_t(source.headHash))
      .run();
  source.id = db_.lastInsertId();
  if (session_ == 0) sessionless_.push_back(source.id);
}

void ImportWriter::save(ImportSource& source, const std::vector<LineProblem>& problems) {
  if (source.session == 0 && source.records > 0) source.session = session_;
  for (const LineProblem& problem : problems)
    db_.prepare("INSERT OR REPLACE INTO import_problem (source, line, offset, reason) "
                "VALUES (?, ?, ?, ?)")
        .bind(source.id, problem.line, problem.offset, problem.reason)
        .run();
  db_.prepare("UPDATE import_source SET offset = ?, file_bytes = ?, lines = ?, records = ?, "
              "duplicates = ?, comments = ?, broken = ?, finished = ?, "
              "session = nullif(?, 0) WHERE id = ?")
      .bind(source.offset, source.fileBytes, source.lines, source.records, source.duplicates,
            source.comments, source.broken, source.finished ? 1 : 0, source.session, source.id)
      .run();
}

void ImportWriter::forgetProblem(const ImportSource& source, std::int64_t line) {
  db_.prepare("DELETE FROM import_problem WHERE source = ? AND line = ?")
      .bind(source.id, line)
      .run();
}

std::vector<LineProblem> ImportWriter::problems(RowId source) {
  std::vector<LineProblem> problems;
  Statement rows =
      db_.prepare("SELECT line, offset, reason FROM import_problem WHERE source = ? ORDER BY line");
  rows.bind(source);
  while (rows.step())
    problems.push_back({rows.integer(0), rows.integer(1), rows.text(2)});
  return problems;
}

} // namespace nestwright
