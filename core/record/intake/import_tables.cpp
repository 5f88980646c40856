#include "core/record/intake/import_tables.h"

#include "core/record/format/public_record.h"
#include "core/record/format/result_codec.h"
#include "core/record/format/stored_block.h"
#include "core/record/format/task_key.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/support/hash.h"

#include <cstdlib>

namespace nestwright {

namespace {

using sqlite::Statement;

/// A number as it comes back from a public record.
double rounded(double value) {
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

/// The parts of a record measured here that a public log would tell.
ImportedItem publicItem(std::string_view values, const MeasureResult& result) {
  ImportedItem item;
  item.values = values;
  std::vector<double> seconds;
  if (result.verdict == Verdict::Ok)
    for (const double repeat : result.seconds)
      seconds.push_back(rounded(repeat));
  item.outcome = encodeOutcome(seconds, rounded(result.buildSeconds + result.runSeconds));
  item.startedAt = result.startedAt / kMicrosecondsPerSecond * kMicrosecondsPerSecond;
  return item;
}

/// What is told of the task, its definition the one that the file has of this key for another
/// target already: one hash has one definition (C27). Throws InputError where another key has the
/// hash.
TaskKnowledge asInFile(sqlite::Database& db, const std::string& key, TaskKnowledge told) {
  if (told.dag.empty()) return told; // what the file has need not fit the programs
  Statement same =
      db.prepare("SELECT key, dag, name, flops FROM task WHERE key_hash = ? AND dag <> ''");
  same.bind(taskKeyHash(key));
  while (same.step()) {
    if (same.view(1) == told.dag) continue;
    if (same.view(0) != key)
      throw InputError(fmt::format("{}: the task '{}' has the hash of the stored task '{}' and "
                                   "another definition, so their records must not be mixed; import "
                                   "it into another file",
                                   db.path(), key, same.view(0)));
    told.dag = same.text(1), told.name = same.text(2), told.flops = same.real(3);
  }
  return told;
}

/// The blocks from one record on, in the order of ids.
class BlockReader {
 public:
  explicit BlockReader(sqlite::Database& db) : db_(db) {}

  const ImportedItem& item(RowId id) {
    if (!block_.holds(id)) {
      try {
        block_ = blockOf(db_, id);
      } catch (const InputError& error) {
        throw InputError(fmt::format("{}: record {}: {}", db_.path(), id, error.what()));
      }
    }
    return block_.item(id);
  }

 private:
  sqlite::Database& db_;
  StoredBlock block_; // that was read last; holds nothing at first
};

} // namespace

RowId importTarget(sqlite::Database& db, const ImportedTask& task, const TaskKnowledge& knowledge) {
  const PublicTarget wanted{task.target, task.hardware, task.host};
  Statement rows = db.prepare("SELECT id, key, text, facts FROM target ORDER BY id");
  while (rows.step())
    if (publicTarget({rows.integer(0), rows.text(1), rows.text(2), rows.text(3)}) == wanted)
      return rows.integer(0);
  const std::string words =
      fmt::format("{}\n{}\n{}", task.target, fmt::join(task.hardware, ","), task.host);
  db.prepare("INSERT INTO target (key, text, facts) VALUES (?, ?, ?)")
      .bind(fmt::format("{}-log-{}", knowledge.target, hashHex(words).substr(0, 8)), task.target,
            knowledge.facts)
      .run();
  return db.lastInsertId();
}

void completeTask(sqlite::Database& db, RowId task, const TaskKnowledge& knowledge) {
  Statement unknown = db.prepare("SELECT key FROM task WHERE id = ? AND dag = ''");
  if (!unknown.bind(task).step()) return;
  const TaskKnowledge known = asInFile(db, unknown.text(0), knowledge);
  db.prepare("UPDATE task SET dag = ?, name = ?, flops = ? WHERE id = ?")
      .bind(known.dag, known.name, known.flops, task)
      .run();
}

RowId importTask(sqlite::Database& db, const std::string& key, RowId target,
                 const TaskKnowledge& knowledge) {
  Statement find = db.prepare("SELECT id, dag FROM task WHERE key = ? AND target = ?");
  if (find.bind(key, target).step()) {
    const RowId id = find.integer(0);
    if (find.view(1).empty() && !knowledge.dag.empty()) completeTask(db, id, knowledge);
    return id;
  }
  const TaskKnowledge known = asInFile(db, key, knowledge);
  db.prepare("INSERT INTO task (target, key, key_hash, name, dag, flops) VALUES (?, ?, ?, ?, ?, ?)")
      .bind(target, key, taskKeyHash(key), known.name, known.dag, known.flops)
      .run();
  const RowId id = db.lastInsertId();
  db.prepare("INSERT INTO task_summary (task) VALUES (?)").bind(id).run();
  db.prepare("INSERT INTO network_task (task, network, position, weight) VALUES (?, NULL, 0, 1)")
      .bind(id)
      .run();
  return id;
}

void importSessionTask(sqlite::Database& db, RowId session, RowId task) {
  Statement find = db.prepare("SELECT 1 FROM session_task WHERE session = ? AND task = ?");
  if (find.bind(session, task).step()) return;
  db.prepare("INSERT INTO session_task (session, position, task) VALUES (?1, "
             "(SELECT ifnull(max(position) + 1, 0) FROM session_task WHERE session = ?1), ?2)")
      .bind(session, task)
      .run();
}

RowId storedShape(sqlite::Database& db, std::string_view shape) {
  const auto hash = std::int64_t(hash64(shape));
  Statement find = db.prepare("SELECT id, steps FROM shape WHERE hash = ?");
  find.bind(hash);
  while (find.step())
    if (find.view(1) == shape) return find.integer(0);
  db.prepare("INSERT INTO shape (hash, steps) VALUES (?, ?)")
      .bindAt(1, hash)
      .bindBlob(2, shape)
      .run();
  return db.lastInsertId();
}

void forEachIdentity(sqlite::Database& db, RowId task,
                     const std::function<void(RowId, std::uint64_t)>& f) {
  Statement trials = db.prepare("SELECT 1 FROM tally WHERE task = ?");
  if (!trials.bind(task).step()) return;
  BlockReader blocks(db);
  Statement rows =
      db.prepare("SELECT record.id, verdict, shape.steps, step_values, details FROM record "
                 "INDEXED BY record_by_group JOIN shape ON shape.id = record.shape WHERE task = ?");
  rows.bind(task);
  while (rows.step()) {
    MeasureResult result;
    result.verdict = verdictOf(rows.integer(1) & ~kForgottenCode);
    if (rows.view(4).empty()) {
      f(rows.integer(0),
        importIdentity(result.verdict, rows.view(2), blocks.item(rows.integer(0))));
      continue;
    }
    decodeDetails(rows.view(4), result);
    const ImportedItem item = publicItem(rows.view(3), result);
    if (result.verdict == Verdict::Cancelled) result.verdict = Verdict::WorkerLost;
    f(rows.integer(0), importIdentity(result.verdict, rows.view(2), item));
  }
}

} // namespace nestwright
