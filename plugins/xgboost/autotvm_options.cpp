#include "plugins/xgboost/autotvm_options.h"

#include "core/model/read_options.h"

namespace nestwright::xgboost {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(AutoTvmOptions, threads, seed, loss, maxDepth,
                                                gamma, minChildWeight, eta, lambda, maxBins, plan,
                                                rounds, patience, historyRounds, historyPatience,
                                                leastHistory, warmup, maxPrograms)

AutoTvmOptions autoTvmOptionsFromJson(const nlohmann::json& json) {
  constexpr const char* kModel = "autotvm";
  auto options = readOptions<AutoTvmOptions>(kModel, json);
  const OptionCheck require{kModel};
  requireSensibleTrees(require, options);
  require(options.loss == "rank" || options.loss == "reg",
          "`loss` must be \"rank\" (the order of the programs) or \"reg\" (their speeds)");
  require(options.plan >= 1, "`plan` must be at least 1");
  require(options.rounds >= 1 && options.patience >= 1 && options.historyRounds >= 1 &&
              options.historyPatience >= 1,
          "rounds and patience must be at least 1");
  require(options.leastHistory >= 1 && options.maxPrograms >= 1,
          "`leastHistory` and `maxPrograms` must be at least 1");
  return options;
}

nlohmann::json toJson(const AutoTvmOptions& options) {
  return options;
}

TreeParameters treeParameters(const AutoTvmOptions& options) {
  return {.threads = options.threads,
          .seed = options.seed,
          .maxDepth = options.maxDepth,
          .maxBins = options.maxBins,
          .gamma = options.gamma,
          .minChildWeight = options.minChildWeight,
          .eta = options.eta,
          .lambda = options.lambda};
}

} // namespace nestwright::xgboost
