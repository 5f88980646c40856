#pragma once
/// \file Which tasks networks have, by what these compute.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

class RecordStore;

/// The tasks of a network in which there is something to search for.
struct NetworkTasks {
  std::string name;                      // "resnet18:batch=1,image=224"
  std::map<std::string, double> weights; // definitionHash() of a task, how often it appears
};

/// The networks that these texts name, each once: of each the set of the zoo of this name
/// ("zoo_test"), the network that sessions of the files tune ("resnet18"), or what
/// parseNetworkSpec() takes. A network whose spec is of no use here has the tasks that the files
/// know. Throws InputError for one that is none of them, and says what would
/// be.
std::vector<NetworkTasks> networkTasks(const std::vector<std::string>& texts,
                                       const std::vector<RecordStore>& files);

/// The networks that sessions of the files tune, each once.
std::vector<NetworkTasks> networksOf(const std::vector<RecordStore>& files);

} // namespace nestwright
