#pragma once
/// \file What can be chosen about AutoTVM's model, with the values of the public code
/// (handbook/cost-models.md 3.6).

#include "core/model/history_weight.h"
#include "plugins/xgboost/tree_parameters.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>

namespace nestwright::xgboost {

struct AutoTvmOptions {
  int threads = 1; // results do not depend on it
  std::uint32_t seed = 43;
  std::string loss = "rank"; // or "reg": squared error
  int maxDepth = 3;
  double gamma = 1e-4; // least gain of a split
  double minChildWeight = 1;
  double eta = 0.3;
  double lambda = 1;
  /// A column with so many values or fewer is split as exactly as can be.
  int maxBins = 256;
  int plan = 64; // programs of a plan: it stops by the average recall at this
  int rounds = 8000, patience = 20;
  int historyRounds = 400, historyPatience = 100;
  std::size_t leastHistory = kLeastHistory; // records of other tasks
  std::size_t warmup = 0;                   // it trains on more programs that ran than these
  std::size_t maxPrograms = 20000;          // learned from in one update: the newest (C13)
};

/// Throws UsageError for an unknown name or a value that cannot work, and lists what there is.
AutoTvmOptions autoTvmOptionsFromJson(const nlohmann::json& json);
nlohmann::json toJson(const AutoTvmOptions& options);
TreeParameters treeParameters(const AutoTvmOptions& options);

} // namespace nestwright::xgboost
