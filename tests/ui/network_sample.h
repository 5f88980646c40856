#pragma once
/// \file A document with a session over networks and operators, made without measuring.

#include "core/network/graph/workloads.h"
#include "core/network/zoo/zoo.h"
#include "core/record/store/network_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/tensor/text.h"
#include "tests/ui/fixture.h"
#include "ui/task_graph/graph_loader.h"

#include <nlohmann/json.hpp>

#include <QStandardPaths>

namespace nestwright::ui::testing {

/// Whether Graphviz is installed.
inline bool hasDot() {
  return !QStandardPaths::findExecutable(QStringLiteral("dot")).isEmpty();
}

inline FoldableGraphPtr graphOf(const char* network) {
  GraphRequest request;
  request.network = network;
  return buildGraph(request);
}

/// Its tasks have naive times of 1 ms, 2 ms and so on, and no records.
struct NetworkSample {
  QTemporaryDir folder;
  QString path;
  RowId session = 0;

  explicit NetworkSample(const std::vector<std::string>& subjects) {
    path = folder.filePath(QStringLiteral("network.nwdb"));
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
    store.transaction([&] { fill(store, subjects); });
  }

 private:
  void fill(RecordStore& store, const std::vector<std::string>& subjects) {
    const RowId target = store.targets().add({0, "test", "llvm -keys=cpu -num-cores=2", "{}"});
    std::vector<SessionNetwork> networks;
    std::vector<RowId> all;
    for (const std::string& subject : subjects)
      networks.push_back(addNetwork(store, subject, target, all));
    SessionConfig config;
    config.subjects = subjects;
    SessionRow row;
    row.network = networks[0].network, row.title = "networks";
    row.config = toJson(config).dump();
    session = store.sessions().add(row);
    store.sessions().setTasks(session, all);
    store.sessions().setNetworks(session, networks);
  }

  static SessionNetwork addNetwork(RecordStore& store, const std::string& subject, RowId target,
                                   std::vector<RowId>& all) {
    const bool isNetwork = !isTaskSpec(subject);
    SessionNetwork network{0, subject, {}};
    if (isNetwork) network.network = store.networks().add({0, subject, subject});
    std::vector<Task> tasks;
    if (isNetwork)
      tasks = optimisedPartition(parseNetworkSpec(subject)).tasks;
    else
      tasks.push_back({"", parseTaskSpec(subject).dag, 1, subject, 0, true});
    int index = 0;
    for (const Task& task : tasks) {
      if (!task.tunable) continue;
      const RowId id = store.tasks().add({0, network.network, target, index++,
                                          workloadKey(task.dag), task.description, print(task.dag),
                                          double(task.weight), flops(task.dag)});
      store.tasks().setNaiveSeconds(id, 1e-3 * index);
      network.weights.push_back({id, double(task.weight)});
      if (std::find(all.begin(), all.end(), id) == all.end()) all.push_back(id);
    }
    return network;
  }
};

} // namespace nestwright::ui::testing
