#pragma once
/// \file A made-up cost model for tests of the search.

#include "tests/search/stage_scorer.h"

namespace nestwright::test {

/// Likes programs whose reducing stages have an innermost loop of 16 and a parallel loop; the best
/// score of a stage is 2.
class FakeScorer final : public StageScorer {
 public:
  std::map<std::string, double> stageScores(const State& program) const override {
    std::map<std::string, double> scores;
    for (int i = 0; i < program.stageCount(); ++i) {
      const Stage& stage = program.stage(i);
      if (stage.isPlaceholder() || stage.op->reduceAxes.empty()) continue;
      double score = 0.01;
      if (!stage.iterators.empty() && stage.iterators.back().extent == TileSize(16)) score += 1;
      for (const Iterator& iterator : stage.iterators)
        if (iterator.annotation == Annotation::Parallel && iterator.extent.value_or(0) >= 4)
          score += 1;
      scores[stage.name()] = score;
    }
    return scores;
  }
};

} // namespace nestwright::test
