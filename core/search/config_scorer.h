#pragma once
/// \file What policies over the configurations of a template ask of a cost model.

#include <cstdint>
#include <span>
#include <vector>

namespace nestwright {

/// Parallel to the configurations that were asked for.
struct ConfigScores {
  std::vector<double> scores;    // higher is better, 1 being the fastest that was learned from
  std::vector<double> deviation; // of the score; empty from models that have none
};

class ConfigScorer {
 public:
  virtual ~ConfigScorer() = default;
  virtual ConfigScores scoreConfigs(std::span<const std::int64_t> configs) const = 0;
};

} // namespace nestwright
