#include "core/record/store/session_rows.h"

#include "core/record/format/result_codec.h"
#include "core/record/format/row_layout.h"
#include "core/record/store/network_rows.h"
#include "core/record/store/task_table.h"
#include "core/support/error.h"

#include <map>
#include <set>

namespace nestwright {

namespace {

using sqlite::Statement;

constexpr auto kSessions = layoutOf<SessionRow>(
    "session", Column{"id", &SessionRow::id}, ReferenceColumn{"network", &SessionRow::network},
    Column{"title", &SessionRow::title}, Column{"config", &SessionRow::config},
    Column{"status", &SessionRow::status}, Column{"created_at", &SessionRow::createdAt},
    Column{"updated_at", &SessionRow::updatedAt}, Column{"wall_seconds", &SessionRow::wallSeconds},
    Column{"scheduler_state", &SessionRow::schedulerState},
    Column{"product", &SessionRow::product});

/// The one network of a session that names no others.
SessionNetwork onlyNetwork(const SessionRow& session, const std::vector<NetworkRow>& networks,
                           const std::vector<TaskRow>& tasks) {
  SessionNetwork only{session.network, session.title, {}};
  for (const NetworkRow& row : networks)
    if (row.id == session.network) only.name = row.name;
  for (const TaskRow& task : tasks)
    only.weights.push_back({task.id, task.weight});
  return only;
}

/// Per task, its weights in all networks of the session together; empty when none were set.
std::map<RowId, double> totalWeights(sqlite::Database& db, RowId session) {
  std::map<RowId, double> weights;
  Statement rows =
      db.prepare("SELECT task, sum(weight) FROM session_weight WHERE session = ? GROUP BY task");
  rows.bind(session);
  while (rows.step())
    weights[rows.integer(0)] = rows.real(1);
  return weights;
}

} // namespace

RowId SessionRows::add(const SessionRow& row) {
  RowId id = 0;
  db_.transaction([&] { id = kSessions.insert(db_, row); });
  return id;
}

void SessionRows::update(const SessionRow& row) {
  db_.transaction([&] {
    requireSession(db_, row.id);
    kSessions.update(db_, row);
  });
}

void SessionRows::setTasks(RowId session, const std::vector<RowId>& tasks) {
  db_.transaction([&] {
    requireSession(db_, session);
    db_.prepare("DELETE FROM session_task WHERE session = ?").bind(session).run();
    Statement insert =
        db_.prepare("INSERT INTO session_task (session, position, task) VALUES (?, ?, ?)");
    for (std::size_t i = 0; i < tasks.size(); ++i)
      insert.bind(session, std::int64_t(i), tasks[i]).run();
  });
}

void SessionRows::setNetworks(RowId session, const std::vector<SessionNetwork>& networks) {
  std::set<std::string> names;
  for (const SessionNetwork& network : networks)
    if (!names.insert(network.name).second)
      throw InputError(fmt::format("{}: a session cannot hold the network '{}' twice", db_.path(),
                                   network.name));
  db_.transaction([&] {
    requireSession(db_, session);
    db_.prepare("DELETE FROM session_weight WHERE session = ?").bind(session).run();
    db_.prepare("DELETE FROM session_network WHERE session = ?").bind(session).run();
    Statement insert = db_.prepare(
        "INSERT INTO session_network (session, position, network, name) VALUES (?, ?, ?, ?)");
    Statement weigh = db_.prepare(
        "INSERT INTO session_weight (session, position, task, weight) VALUES (?, ?, ?, ?)");
    for (std::size_t i = 0; i < networks.size(); ++i) {
      const auto position = static_cast<std::int64_t>(i);
      insert.bindAt(1, session).bindAt(2, position).bindAt(4, networks[i].name);
      bindReference(insert, 3, networks[i].network);
      insert.run();
      for (const TaskWeight& weight : networks[i].weights)
        weigh.bind(session, position, weight.task, weight.weight).run();
    }
  });
}

std::vector<SessionRow> SessionRows::all() const {
  return kSessions.all(db_, "ORDER BY id");
}

std::optional<SessionRow> SessionRows::one(RowId id) const {
  return kSessions.one(db_, "WHERE id = ?", id);
}

std::vector<TaskRow> SessionRows::tasks(RowId session) const {
  // The place is that in the session's own network, when the task has one there.
  std::vector<TaskRow> tasks = withAlternatives(kPlacedTasks.all(
      db_,
      "FROM session_task JOIN session ON session.id = session_task.session "
      "JOIN task ON task.id = session_task.task JOIN network_task place ON place.id = ifnull("
      "(SELECT id FROM network_task WHERE task = task.id AND network IS session.network), "
      "(SELECT min(id) FROM network_task WHERE task = task.id)) "
      "WHERE session_task.session = ? ORDER BY session_task.position",
      session));
  const std::map<RowId, double> weights = totalWeights(db_, session);
  for (TaskRow& task : tasks)
    if (const auto total = weights.find(task.id); total != weights.end())
      task.weight = total->second;
  return tasks;
}

std::vector<SessionNetwork> SessionRows::networks(RowId session) const {
  std::vector<SessionNetwork> result;
  Statement rows =
      db_.prepare("SELECT network, name FROM session_network WHERE session = ? ORDER BY position");
  rows.bind(session);
  while (rows.step())
    result.push_back({rows.integer(0), rows.text(1), {}});
  Statement weights = db_.prepare("SELECT position, task, weight FROM session_weight WHERE "
                                  "session = ? ORDER BY position, task");
  weights.bind(session);
  while (weights.step()) {
    const std::int64_t position = weights.integer(0);
    if (position < 0 || position >= std::ssize(result))
      throw InputError(fmt::format("{}: the file is damaged: session {} weighs task {} in a "
                                   "network that it does not have",
                                   db_.path(), session, weights.integer(1)));
    result[static_cast<std::size_t>(position)].weights.push_back(
        {weights.integer(1), weights.real(2)});
  }
  if (!result.empty()) return result;
  const std::optional<SessionRow> row = one(session);
  if (!row) return result;
  return {onlyNetwork(*row, NetworkRows(db_).all(), tasks(session))};
}

SessionSummary SessionRows::summary(RowId session) const {
  Statement row = db_.prepare(
      "SELECT ifnull(sum(records), 0), ifnull(sum(iif(verdict = 0 OR verdict >= ?2, 0, records)), "
      "0), ifnull(sum(kernel_seconds), 0), ifnull(sum(iif(verdict >= ?2, records, 0)), 0) "
      "FROM tally WHERE session = ?1");
  row.bind(session, kForgottenCode).step();
  return {session, row.integer(0), row.integer(1), row.real(2), row.integer(3)};
}

void requireSession(sqlite::Database& db, RowId session) {
  Statement find = db.prepare("SELECT 1 FROM session WHERE id = ?");
  if (!find.bind(session).step())
    throw InputError(fmt::format("{}: there is no session {} in the file", db.path(), session));
}

} // namespace nestwright
