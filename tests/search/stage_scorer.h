#pragma once
/// \file A made-up cost model for tests, from the scores that it gives to stages.

#include "core/search/search_policy.h"

namespace nestwright::test {

/// A program's score is the sum of its stages' scores.
class StageScorer : public CostScorer {
 public:
  std::vector<double> score(std::span<const State> programs) const final {
    std::vector<double> scores;
    for (const State& program : programs) {
      double sum = 0;
      for (const auto& [stage, score] : stageScores(program))
        sum += score;
      scores.push_back(sum);
    }
    return scores;
  }
};

} // namespace nestwright::test
