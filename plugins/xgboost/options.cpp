#include "plugins/xgboost/options.h"

#include "core/model/read_options.h"

namespace nestwright::xgboost {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Options, threads, seed, weights, maxDepth, gamma,
                                                minChildWeight, eta, maxBins, maxTrees, patience,
                                                leastImprovement, warmup, retrainGrowth,
                                                retrainImprovement, incrementTrees, tuningTrees,
                                                maxRows, newest)

namespace {

void requireSensible(const Options& options) {
  const OptionCheck require{"xgboost"};
  requireSensibleTrees(require, options);
  require(options.weights == "label" || options.weights == "none",
          "`weights` must be label or none");
  require(options.maxTrees >= 1 && options.incrementTrees >= 1 && options.patience >= 1,
          "`maxTrees`, `incrementTrees` and `patience` must be at least 1");
  require(options.tuningTrees >= 0, "`tuningTrees` must not be negative");
  require(options.leastImprovement >= 0 && options.leastImprovement < 1,
          "`leastImprovement` must be at least 0 and below 1");
  require(options.maxRows >= 1, "`maxRows` must be at least 1");
}

} // namespace

Options optionsFromJson(const nlohmann::json& json) {
  Options options = readOptions<Options>("xgboost", json);
  requireSensible(options);
  return options;
}

nlohmann::json toJson(const Options& options) {
  return options;
}

TreeParameters treeParameters(const Options& options) {
  return {.threads = options.threads,
          .seed = options.seed,
          .maxDepth = options.maxDepth,
          .maxBins = options.maxBins,
          .gamma = options.gamma,
          .minChildWeight = options.minChildWeight,
          .eta = options.eta};
}

} // namespace nestwright::xgboost
