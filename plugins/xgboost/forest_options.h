#pragma once
/// \file What can be chosen about AdaTune's surrogate, with the values of the public code
/// (handbook/cost-models.md 4.1).

#include "plugins/xgboost/tree_parameters.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>

namespace nestwright::xgboost {

struct ForestOptions {
  int threads = 1; // results do not depend on it
  std::uint32_t seed = 2;
  int trees = 10;
  int features = 10; // looked at for a split
  int maxBins = 256;
  std::size_t warmup = 0;          // it trains on more programs that ran than these
  std::size_t maxPrograms = 20000; // learned from in one update: the newest (C13)
};

/// Throws UsageError for an unknown name or a value that cannot work, and lists what there is.
ForestOptions forestOptionsFromJson(const nlohmann::json& json);
nlohmann::json toJson(const ForestOptions& options);
/// For rows of so many columns.
TreeParameters treeParameters(const ForestOptions& options, std::size_t columns);

} // namespace nestwright::xgboost
