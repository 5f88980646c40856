#pragma once
/// \file Named sets of networks of the zoo: the configurations of the TenSet data set
/// (handbook/networks.md 1).

#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

struct NetworkConfiguration {
  std::string tensetName; // "resnet_50"
  std::string spec;       // complete: "resnet50:batch=1,image=224"
};

struct NetworkSet {
  std::string name; // what `nestwright tasks` takes
  std::string description;
  std::vector<NetworkConfiguration> networks;
};

/// `zoo`: all 120 configurations of TenSet; `zoo_batch1`: the 40 of them with batch 1; `zoo_test`:
/// the five that the papers hold out for testing; `zoo_train`: the 120 without those five.
const std::vector<NetworkSet>& networkSets();

/// The set of that name, or null.
const NetworkSet* findNetworkSet(std::string_view name);

} // namespace nestwright
