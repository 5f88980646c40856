#include "plugins/xgboost/forest_options.h"

#include "core/model/read_options.h"

#include <algorithm>

namespace nestwright::xgboost {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ForestOptions, threads, seed, trees, features,
                                                maxBins, warmup, maxPrograms)

ForestOptions forestOptionsFromJson(const nlohmann::json& json) {
  constexpr const char* kModel = "forest";
  const auto options = readOptions<ForestOptions>(kModel, json);
  const OptionCheck require{kModel};
  requireSensibleTrees(require, options);
  require(options.trees >= 2 && options.trees <= 1000, "`trees` must be 2 to 1000");
  require(options.features >= 1, "`features` must be at least 1");
  require(options.maxPrograms >= 1, "`maxPrograms` must be at least 1");
  return options;
}

nlohmann::json toJson(const ForestOptions& options) {
  return options;
}

TreeParameters treeParameters(const ForestOptions& options, std::size_t columns) {
  // XGBoost takes the whole part of share x columns.
  const double share = (options.features + 0.5) / static_cast<double>(columns);
  return {.threads = options.threads,
          .seed = options.seed,
          .maxDepth = 0,
          .maxBins = options.maxBins,
          .gamma = 0,
          .minChildWeight = 1,
          .eta = 1,
          .lambda = 0,
          .columnShare = std::min(share, 1.0)};
}

} // namespace nestwright::xgboost
