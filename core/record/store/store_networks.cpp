#include "core/record/store/store_impl.h"
#include "core/support/error.h"

#include <set>

namespace nestwright {

using sqlite::Statement;

namespace {

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

} // namespace

std::map<RowId, double> RecordStore::Impl::totalWeights(RowId session) {
  std::map<RowId, double> weights;
  Statement rows =
      db.prepare("SELECT task, sum(weight) FROM session_weight WHERE session = ? GROUP BY task");
  rows.bind(session);
  while (rows.step())
    weights[rows.integer(0)] = rows.real(1);
  return weights;
}

void RecordStore::setSessionTasks(RowId session, const std::vector<RowId>& tasks) {
  transaction([&] {
    auto& db = impl_->db;
    impl_->requireSession(session);
    db.prepare("DELETE FROM session_task WHERE session = ?").bind(session).run();
    Statement insert =
        db.prepare("INSERT INTO session_task (session, position, task) VALUES (?, ?, ?)");
    for (std::size_t i = 0; i < tasks.size(); ++i)
      insert.bind(session, std::int64_t(i), tasks[i]).run();
  });
}

void RecordStore::setSessionNetworks(RowId session, const std::vector<SessionNetwork>& networks) {
  std::set<std::string> names;
  for (const SessionNetwork& network : networks)
    if (!names.insert(network.name).second)
      throw InputError(
          fmt::format("{}: a session cannot hold the network '{}' twice", path(), network.name));
  transaction([&] {
    auto& db = impl_->db;
    impl_->requireSession(session);
    db.prepare("DELETE FROM session_weight WHERE session = ?").bind(session).run();
    db.prepare("DELETE FROM session_network WHERE session = ?").bind(session).run();
    Statement insert = db.prepare(
        "INSERT INTO session_network (session, position, network, name) VALUES (?, ?, ?, ?)");
    Statement weigh = db.prepare(
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

std::vector<SessionNetwork> RecordStore::sessionNetworks(RowId session) const {
  std::vector<SessionNetwork> result;
  Statement rows = impl_->db.prepare(
      "SELECT network, name FROM session_network WHERE session = ? ORDER BY position");
  rows.bind(session);
  while (rows.step())
    result.push_back({rows.integer(0), rows.text(1), {}});
  Statement weights = impl_->db.prepare("SELECT position, task, weight FROM session_weight WHERE "
                                        "session = ? ORDER BY position, task");
  weights.bind(session);
  while (weights.step()) {
    const std::int64_t position = weights.integer(0);
    if (position < 0 || position >= std::ssize(result))
      throw InputError(fmt::format("{}: the file is damaged: session {} weighs task {} in a "
                                   "network that it does not have",
                                   path(), session, weights.integer(1)));
    result[static_cast<std::size_t>(position)].weights.push_back(
        {weights.integer(1), weights.real(2)});
  }
  if (!result.empty()) return result;
  const std::optional<SessionRow> row = this->session(session);
  if (!row) return result;
  return {onlyNetwork(*row, networks(), sessionTasks(session))};
}

double weightIn(const SessionNetwork& network, RowId task) {
  for (const TaskWeight& weight : network.weights)
    if (weight.task == task) return weight.weight;
  return 0;
}

} // namespace nestwright
