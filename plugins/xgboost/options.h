#pragma once
/// \file What can be chosen about the model, with the values of the reference
/// (handbook/ansor.md 7.1) where it has them.

#include "plugins/xgboost/tree_parameters.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace nestwright::xgboost {

struct Options {
  int threads = 1; // the caller knows what else runs; results do not depend on it
  std::uint32_t seed = 43;
  /// What a program's error counts: its label, as the reference has it, so that slow and failed
  /// ones count little; or none, the same for all, as in TenSet (handbook/cost-models.md 2.4) and
  /// for labels that may be below 0.
  std::string weights = "label";
  int maxDepth = 10;
  double gamma = 0.001; // least gain of a split
  double minChildWeight = 0;
  double eta = 0.2;
  /// Histograms of so many bins, at most so many trees of a full training, and increments in
  /// between, where the reference grows up to 10000 trees anew after every batch: an update's cost
  /// stays bounded whatever the session's length (C13).
  int maxBins = 64;
  int maxTrees = 300;
  /// Trees without a lower training error before it stops. The reference waits for 50; without
  /// sampling the error never recovers, and those trees only cost time.
  int patience = 10;
  double leastImprovement = 1e-3;  // of the training error, relative, to count as one
  std::size_t warmup = 100;        // it trains on more programs than these
  double retrainGrowth = 0.2;      // full training when the set has grown by this share
  double retrainImprovement = 0.1; // or a task's best time has fallen by this share
  int incrementTrees = 10;         // added by an update in between
  /// Above 0: a loaded model is never learned anew. Each update adds at most so many trees to it.
  int tuningTrees = 0;
  std::size_t maxRows = 16384; // feature rows learned from in one update
  std::size_t newest = 128;    // programs always learned from for being new
};

/// Throws UsageError for an unknown name or a value that cannot work, and lists what there is.
Options optionsFromJson(const nlohmann::json& json);
nlohmann::json toJson(const Options& options);
TreeParameters treeParameters(const Options& options);

} // namespace nestwright::xgboost
