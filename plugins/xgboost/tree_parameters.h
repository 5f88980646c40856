#pragma once
/// \file How XGBoost grows a tree from given gradients.

#include <cstdint>

namespace nestwright::xgboost {

struct TreeParameters {
  int threads = 1; // results do not depend on it
  std::uint32_t seed = 0;
  int maxDepth = 6; // 0: no limit
  int maxBins = 256;
  double gamma = 0; // least gain of a split
  double minChildWeight = 1;
  double eta = 0.3;
  double lambda = 1;
  double columnShare = 1; // of the columns, drawn anew for each node
};

} // namespace nestwright::xgboost
