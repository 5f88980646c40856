#include "core/record/store/store.h"

#include "core/record/file/database_file.h"
#include "core/record/file/schema_check.h"
#include "core/record/format/bytes.h"
#include "core/record/format/result_codec.h"
#include "core/record/store/store_impl.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/support/infinity.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace nestwright {

namespace {

using sqlite::Statement;

/// Columns of a task with its place in a network, from `task` and `network_task place`.
#define NW_TASK_COLUMNS                                                                            \
  "task.id, place.network, task.target, place.position, task.key, task.name, task.dag, "           \
  "place.weight, task.flops"

TaskRow readTask(const Statement& row) {
  TaskRow task;
  task.id = row.integer(0);
  task.network = row.integer(1);
  task.target = row.integer(2);
  task.index = int(row.integer(3));
  task.key = row.text(4);
  task.name = row.text(5);
  task.dag = row.text(6);
  task.weight = row.real(7);
  task.flops = row.real(8);
  return task;
}

std::vector<TaskRow> readTasks(Statement& rows) {
  std::vector<TaskRow> tasks;
  while (rows.step())
    tasks.push_back(readTask(rows));
  return tasks;
}

#define NW_SESSION_COLUMNS                                                                         \
  "id, network, title, config, status, created_at, updated_at, wall_seconds, scheduler_state, "    \
  "product"

SessionRow readSession(const Statement& row) {
  SessionRow session;
  session.id = row.integer(0);
  session.network = row.integer(1);
  session.title = row.text(2);
  session.config = row.text(3);
  session.status = storedStatus(row.view(4));
  session.createdAt = row.integer(5);
  session.updatedAt = row.integer(6);
  session.wallSeconds = row.real(7);
  session.schedulerState = row.text(8);
  session.product = row.text(9);
  return session;
}

constexpr const char* kSummaryColumns =
    "SELECT task, trials, errors, best_record, best_seconds, naive_seconds, kernel_seconds "
    "FROM task_summary ";

TaskSummary readSummary(const Statement& row) {
  TaskSummary summary;
  summary.task = row.integer(0);
  summary.trials = row.integer(1);
  summary.errors = row.integer(2);
  summary.bestRecord = row.integer(3);
  summary.bestSeconds = row.isNull(4) ? kInfinity : row.real(4);
  summary.naiveSeconds = row.real(5);
  summary.kernelSeconds = row.real(6);
  return summary;
}

void bindSession(Statement& statement, const SessionRow& row) {
  bindReference(statement, 1, row.network);
  statement.bindAt(2, row.title).bindAt(3, row.config).bindAt(4, name(row.status));
  statement.bindAt(5, row.createdAt).bindAt(6, row.updatedAt).bindAt(7, row.wallSeconds);
  statement.bindAt(8, row.schedulerState).bindAt(9, row.product);
}

} // namespace

std::string taskKeyHash(std::string_view key) {
  const std::size_t mark = key.rfind('#');
  if (mark != std::string_view::npos && mark + 1 < key.size())
    return std::string(key.substr(mark + 1));
  return hashHex(key);
}

void bindReference(Statement& statement, int index, RowId id) {
  if (id == 0)
    statement.bindAt(index, nullptr);
  else
    statement.bindAt(index, id);
}

void bindPacked(Statement& statement, int index, std::string_view text) {
  const PackedText packed = pack(text);
  if (packed.packed)
    statement.bindBlob(index, packed.bytes);
  else
    statement.bindAt(index, packed.bytes);
}

std::string readPacked(const Statement& statement, int column) {
  return statement.isBlob(column) ? unpack(statement.view(column)) : statement.text(column);
}

SessionStatus storedStatus(std::string_view text) {
  try {
    return statusFromName(text);
  } catch (const InputError& error) {
    throw InputError(fmt::format("damaged file: {}", error.what()));
  }
}

RecordStore::RecordStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RecordStore::~RecordStore() = default;
RecordStore::RecordStore(RecordStore&&) noexcept = default;
RecordStore& RecordStore::operator=(RecordStore&&) noexcept = default;

RecordStore RecordStore::open(const std::string& path, OpenMode mode) {
  std::unique_ptr<Impl> impl(new Impl{openDatabaseFile(path, mode), {}, {}});
  impl->addFunctions();
  return RecordStore(std::move(impl));
}

const std::string& RecordStore::path() const {
  return impl_->db.path();
}

std::string RecordStore::readOnlyReason() const {
  return nestwright::readOnlyReason(impl_->db);
}

void RecordStore::transaction(const std::function<void()>& body) {
  try {
    impl_->db.transaction(body);
  } catch (...) {
    // They may name rows that are undone now.
    impl_->shapeIds.clear();
    impl_->shapes.clear();
    throw;
  }
}

std::int64_t RecordStore::changeCounter() const {
  return impl_->db.integer("PRAGMA data_version");
}

RowId RecordStore::addNetwork(const NetworkRow& row) {
  RowId id = 0;
  transaction([&] {
    auto& db = impl_->db;
    Statement find = db.prepare("SELECT id FROM network WHERE name = ? AND spec = ?");
    if (find.bind(row.name, row.spec).step()) {
      id = find.integer(0);
      return;
    }
    db.prepare("INSERT INTO network (name, spec) VALUES (?, ?)").bind(row.name, row.spec).run();
    id = db.lastInsertId();
  });
  return id;
}

RowId RecordStore::addTarget(const TargetRow& row) {
  RowId id = 0;
  transaction([&] {
    auto& db = impl_->db;
    Statement find = db.prepare("SELECT id FROM target WHERE key = ?");
    if (find.bind(row.key).step()) {
      id = find.integer(0);
      return;
    }
    db.prepare("INSERT INTO target (key, text, facts) VALUES (?, ?, ?)")
        .bind(row.key, row.text, row.facts)
        .run();
    id = db.lastInsertId();
  });
  return id;
}

RowId RecordStore::addTask(const TaskRow& row) {
  const std::string hash = taskKeyHash(row.key);
  RowId id = 0;
  transaction([&] {
    auto& db = impl_->db;
    Statement same = db.prepare("SELECT id, target, key, dag FROM task WHERE key_hash = ?");
    same.bind(hash);
    while (same.step()) {
      if (same.view(3) != row.dag)
        throw InputError(fmt::format("{}: the task '{}' has the hash of the stored task '{}' and "
                                     "another definition, so their "
                                     "records must not be mixed; tune it into another file",
                                     path(), row.key, same.view(2)));
      if (same.view(2) == row.key && same.integer(1) == row.target) id = same.integer(0);
    }
    if (id == 0) {
      Statement insert = db.prepare("INSERT INTO task (target, key, key_hash, name, dag, flops) "
                                    "VALUES (?, ?, ?, ?, ?, ?)");
      bindReference(insert, 1, row.target);
      insert.bindAt(2, row.key).bindAt(3, hash).bindAt(4, row.name).bindAt(5, row.dag);
      insert.bindAt(6, row.flops).run();
      id = db.lastInsertId();
      db.prepare("INSERT INTO task_summary (task) VALUES (?)").bind(id).run();
    }
    Statement find = db.prepare("SELECT id FROM network_task WHERE task = ? AND network IS ?");
    find.bindAt(1, id);
    bindReference(find, 2, row.network);
    if (find.step()) return;
    Statement place = db.prepare(
        "INSERT INTO network_task (task, network, position, weight) VALUES (?, ?, ?, ?)");
    bindReference(place, 2, row.network);
    place.bindAt(1, id).bindAt(3, row.index).bindAt(4, row.weight).run();
  });
  return id;
}

RowId RecordStore::addSession(const SessionRow& row) {
  RowId id = 0;
  transaction([&] {
    auto& db = impl_->db;
    Statement insert =
        db.prepare("INSERT INTO session (network, title, config, status, created_at, updated_at, "
                   "wall_seconds, scheduler_state, product) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    bindSession(insert, row);
    insert.run();
    id = db.lastInsertId();
  });
  return id;
}

void RecordStore::updateSession(const SessionRow& row) {
  transaction([&] {
    impl_->requireSession(row.id);
    Statement update = impl_->db.prepare(
        "UPDATE session SET network = ?, title = ?, config = ?, status = ?, created_at = ?, "
        "updated_at = ?, wall_seconds = ?, scheduler_state = ?, product = ? WHERE id = ?");
    bindSession(update, row);
    update.bindAt(10, row.id).run();
  });
}

void RecordStore::setNaiveSeconds(RowId task, double seconds) {
  transaction([&] {
    summary(task); // throws for a task that is not there
    impl_->db.prepare("UPDATE task_summary SET naive_seconds = ? WHERE task = ?")
        .bind(seconds, task)
        .run();
  });
}

void RecordStore::saveModel(RowId session, std::string_view name, std::string_view bytes) {
  transaction([&] {
    Statement save = impl_->db.prepare("INSERT OR REPLACE INTO model (session, name, bytes, hash) "
                                       "VALUES (?, ?, ?, ?)");
    save.bindAt(1, session);
    save.bindAt(2, name);
    save.bindBlob(3, bytes);
    save.bindAt(4, hashHex(bytes)).run();
  });
}

void RecordStore::dropModel(RowId session) {
  transaction(
      [&] { impl_->db.prepare("DELETE FROM model WHERE session = ?").bind(session).run(); });
}

std::optional<std::string> RecordStore::model(RowId session, std::string_view name) const {
  Statement find = impl_->db.prepare("SELECT bytes FROM model WHERE session = ? AND name = ?");
  find.bindAt(1, session);
  find.bindAt(2, name);
  if (!find.step()) return std::nullopt;
  return std::string(find.text(0));
}

RowId RecordStore::addEvent(const EventRow& event) {
  RowId id = 0;
  transaction([&] {
    auto& db = impl_->db;
    impl_->requireSession(event.session);
    db.prepare("INSERT INTO event_kind (name) VALUES (?) ON CONFLICT DO NOTHING")
        .bind(event.kind)
        .run();
    Statement insert =
        db.prepare("INSERT INTO event (session, at, kind, trials, wall_seconds, json) "
                   "VALUES (?, ?, (SELECT id FROM event_kind WHERE name = ?), ?, ?, ?)");
    insert.bind(event.session, event.at, event.kind, event.trials, event.wallSeconds);
    bindPacked(insert, 6, event.json);
    insert.run();
    id = db.lastInsertId();
  });
  return id;
}

std::vector<NetworkRow> RecordStore::networks() const {
  std::vector<NetworkRow> networks;
  Statement rows = impl_->db.prepare("SELECT id, name, spec FROM network ORDER BY id");
  while (rows.step())
    networks.push_back({rows.integer(0), rows.text(1), rows.text(2)});
  return networks;
}

std::vector<TargetRow> RecordStore::targets() const {
  std::vector<TargetRow> targets;
  Statement rows = impl_->db.prepare("SELECT id, key, text, facts FROM target ORDER BY id");
  while (rows.step())
    targets.push_back({rows.integer(0), rows.text(1), rows.text(2), rows.text(3)});
  return targets;
}

std::vector<SessionRow> RecordStore::sessions() const {
  std::vector<SessionRow> sessions;
  Statement rows = impl_->db.prepare("SELECT " NW_SESSION_COLUMNS " FROM session ORDER BY id");
  while (rows.step())
    sessions.push_back(readSession(rows));
  return sessions;
}

std::optional<SessionRow> RecordStore::session(RowId id) const {
  Statement row = impl_->db.prepare("SELECT " NW_SESSION_COLUMNS " FROM session WHERE id = ?");
  if (!row.bind(id).step()) return std::nullopt;
  return readSession(row);
}

std::vector<TaskRow> RecordStore::tasks(RowId network) const {
  if (network == 0) { // each once, at its first place
    Statement rows = impl_->db.prepare(
        "SELECT " NW_TASK_COLUMNS " FROM task JOIN network_task place ON place.id = "
        "(SELECT min(id) FROM network_task WHERE task = task.id) ORDER BY task.id");
    return readTasks(rows);
  }
  Statement rows = impl_->db.prepare("SELECT " NW_TASK_COLUMNS
                                     " FROM network_task place JOIN task ON task.id = place.task "
                                     "WHERE place.network = ? ORDER BY place.position, place.id");
  rows.bind(network);
  return readTasks(rows);
}

std::vector<TaskRow> RecordStore::sessionTasks(RowId session) const {
  // The place is that in the session's own network, when the task has one there.
  Statement rows = impl_->db.prepare(
      "SELECT " NW_TASK_COLUMNS " FROM session_task JOIN session ON session.id = "
      "session_task.session JOIN task ON task.id = session_task.task "
      "JOIN network_task place ON place.id = ifnull("
      "(SELECT id FROM network_task WHERE task = task.id AND network IS session.network), "
      "(SELECT min(id) FROM network_task WHERE task = task.id)) "
      "WHERE session_task.session = ? ORDER BY session_task.position");
  rows.bind(session);
  std::vector<TaskRow> tasks = readTasks(rows);
  const std::map<RowId, double> weights = impl_->totalWeights(session);
  for (TaskRow& task : tasks)
    if (const auto total = weights.find(task.id); total != weights.end())
      task.weight = total->second;
  return tasks;
}

std::optional<TaskRow> RecordStore::task(RowId id) const {
  Statement row = impl_->db.prepare(
      "SELECT " NW_TASK_COLUMNS " FROM task JOIN network_task place ON place.id = "
      "(SELECT min(id) FROM network_task WHERE task = task.id) WHERE task.id = ?");
  if (!row.bind(id).step()) return std::nullopt;
  return readTask(row);
}

std::optional<TaskRow> RecordStore::findTask(std::string_view key, RowId target) const {
  Statement find = impl_->db.prepare("SELECT id FROM task WHERE key = ? AND target IS ?");
  find.bindAt(1, key);
  bindReference(find, 2, target);
  return find.step() ? task(find.integer(0)) : std::nullopt;
}

std::vector<TaskSummary> RecordStore::summaries() const {
  static const std::string sql = std::string(kSummaryColumns) + "ORDER BY task";
  std::vector<TaskSummary> summaries;
  Statement rows = impl_->db.prepare(sql);
  while (rows.step())
    summaries.push_back(readSummary(rows));
  return summaries;
}

TaskSummary RecordStore::summary(RowId task) const {
  static const std::string sql = std::string(kSummaryColumns) + "WHERE task = ?";
  Statement row = impl_->db.prepare(sql);
  if (!row.bind(task).step())
    throw InputError(fmt::format("{}: there is no task {} in the file", path(), task));
  return readSummary(row);
}

SessionSummary RecordStore::sessionSummary(RowId session) const {
  Statement row = impl_->db.prepare(
      "SELECT ifnull(sum(records), 0), ifnull(sum(iif(verdict = 0 OR verdict >= ?2, 0, records)), "
      "0), ifnull(sum(kernel_seconds), 0), ifnull(sum(iif(verdict >= ?2, records, 0)), 0) "
      "FROM tally WHERE session = ?1");
  row.bind(session, kForgottenCode).step();
  return {session, row.integer(0), row.integer(1), row.real(2), row.integer(3)};
}

namespace {

#define NW_EVENTS                                                                                  \
  "SELECT event.id, session, at, event_kind.name, json, trials, wall_seconds FROM event INDEXED "  \
  "BY event_by_session JOIN event_kind ON event_kind.id = event.kind WHERE session = ? AND "

std::vector<EventRow> readEvents(Statement& rows) {
  std::vector<EventRow> events;
  while (rows.step())
    events.push_back({rows.integer(0), rows.integer(1), rows.integer(2), rows.text(3),
                      readPacked(rows, 4), rows.integer(5), rows.real(6)});
  return events;
}

} // namespace

std::vector<EventRow> RecordStore::events(RowId session, RowId after, int limit) const {
  Statement rows = impl_->db.prepare(NW_EVENTS "event.id > ? ORDER BY event.id LIMIT ?");
  rows.bind(session, after, limit);
  return readEvents(rows);
}

std::vector<EventRow> RecordStore::newestEvents(RowId session, int limit) const {
  Statement rows = impl_->db.prepare(NW_EVENTS "true ORDER BY event.id DESC LIMIT ?");
  rows.bind(session, limit);
  std::vector<EventRow> events = readEvents(rows);
  std::reverse(events.begin(), events.end());
  return events;
}

void RecordStore::Impl::requireSession(RowId session) {
  Statement find = db.prepare("SELECT 1 FROM session WHERE id = ?");
  if (!find.bind(session).step())
    throw InputError(fmt::format("{}: there is no session {} in the file", db.path(), session));
}

} // namespace nestwright
