#include "plugins/xgboost/autotvm_options.h"

#include "plugins/xgboost/read_options.h"

namespace nestwright::xgboost {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(AutoTvmOptions, threads, seed, loss, maxDepth,
                                                gamma, minChildWeight, eta, lambda, maxBins, plan,
                                                rounds, patience, historyRounds, historyPatience,
                                                leastHistory, warmup, maxPrograms)

AutoTvmOptions autoTvmOptionsFromJson(const nlohmann::json& json) {
  constexpr const char* kModel = "autotvm";
  const auto options = readOptions<AutoTvmOptions>(kModel, json);
  const OptionCheck require{kModel};
  require(options.threads >= 1, "`threads` must be at least 1");
  require(options.loss == "rank" || options.loss == "reg",
          "`loss` must be \"rank\" (the order of the programs) or \"reg\" (their speeds)");
  require(options.maxDepth >= 1 && options.maxDepth <= 16, "`maxDepth` must be 1 to 16");
  require(options.gamma >= 0 && options.minChildWeight >= 0 && options.lambda >= 0,
          "`gamma`, `minChildWeight` and `lambda` must not be negative");
  require(options.eta > 0 && options.eta <= 1, "`eta` must be above 0 and at most 1");
  require(options.maxBins >= 2 && options.maxBins <= 1024, "`maxBins` must be 2 to 1024");
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
