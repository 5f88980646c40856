#include "core/dataset/network_tasks.h"

#include "core/network/zoo/shared_tasks.h"
#include "core/network/zoo/zoo.h"
#include "core/network/zoo/zoo_sets.h"
#include "core/record/format/task_dag.h"
#include "core/record/store/network_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/support/error.h"
#include "core/tensor/definition.h"

#include <algorithm>
#include <optional>
#include <set>

namespace nestwright {

namespace {

/// A network of a file with the names that it goes by.
struct FiledNetwork {
  std::string name, spec;
  NetworkTasks tasks;
};

std::string definitionOf(const TaskRow& row) {
  const std::optional<ComputeDag> dag = dagIfKnown(row);
  return dag ? definitionHash(*dag) : std::string();
}

void collect(const RecordStore& store, std::vector<FiledNetwork>& found) {
  std::map<RowId, std::string> definitions, specs;
  for (const TaskRow& row : store.tasks().all())
    // A network has its operators by their own definitions: each would count several times.
    if (row.definition.empty()) definitions[row.id] = definitionOf(row);
  for (const NetworkRow& row : store.networks().all())
    specs[row.id] = row.spec;
  for (const SessionRow& session : store.sessions().all())
    for (const SessionNetwork& network : store.sessions().networks(session.id)) {
      if (network.network == 0) continue;
      const std::string& spec = specs[network.network];
      auto place = std::ranges::find(found, spec, &FiledNetwork::spec);
      if (place == found.end())
        place = found.insert(found.end(), {network.name, spec, {network.name, {}}});
      for (const TaskWeight& weight : network.weights)
        if (const std::string& definition = definitions[weight.task]; !definition.empty())
          place->tasks.weights[definition] = weight.weight;
    }
}

std::vector<FiledNetwork> filed(const std::vector<RecordStore>& files) {
  std::vector<FiledNetwork> found;
  for (const RecordStore& store : files)
    collect(store, found);
  return found;
}

/// Whether the network can be built here: a file's may be one of another machine.
bool isAtHand(const std::string& spec) {
  try {
    parseNetworkSpec(spec);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// Partitions the networks of these specs.
std::vector<NetworkTasks> partitioned(const std::vector<std::string>& specs) {
  std::vector<NetworkTasks> networks;
  for (const std::string& spec : specs)
    networks.push_back({spec, {}});
  for (const SharedTask& shared : sharedTasks(specs)) {
    if (!shared.task.tunable) continue;
    const std::string definition = definitionHash(shared.task.dag);
    for (const SharedTask::Use& use : shared.uses)
      networks[static_cast<std::size_t>(use.network)].weights[definition] += use.weight;
  }
  return networks;
}

} // namespace

std::vector<NetworkTasks> networkTasks(const std::vector<std::string>& texts,
                                       const std::vector<RecordStore>& files) {
  std::vector<NetworkTasks> networks;
  std::vector<std::string> specs;
  const std::vector<FiledNetwork> known = filed(files);
  for (const std::string& text : texts) {
    if (const NetworkSet* set = findNetworkSet(text)) {
      for (const NetworkConfiguration& network : set->networks)
        specs.push_back(network.spec);
      continue;
    }
    const auto found = std::ranges::find_if(known, [&](const FiledNetwork& network) {
      return network.name == text || network.spec == text;
    });
    if (found == known.end())
      specs.push_back(text);
    else if (isAtHand(found->spec)) // whole: sessions may have begun with some of its tasks
      specs.push_back(found->spec);
    else if (std::ranges::find(networks, found->tasks.name, &NetworkTasks::name) == networks.end())
      networks.push_back(found->tasks);
  }
  std::set<std::string> seen;
  std::erase_if(specs, [&](const std::string& spec) { return !seen.insert(spec).second; });
  for (NetworkTasks& network : partitioned(specs))
    networks.push_back(std::move(network));
  return networks;
}

std::vector<NetworkTasks> networksOf(const std::vector<RecordStore>& files) {
  std::vector<NetworkTasks> networks;
  for (FiledNetwork& network : filed(files))
    networks.push_back(std::move(network.tasks));
  return networks;
}

} // namespace nestwright
