#pragma once
/// \file Which stages read which, directly and through inlined stages.

#include "core/schedule/state.h"

#include <vector>

namespace nestwright {

/// One load in the body of a stage.
struct StageRead {
  int producer = 0;
  const ExprNode* load = nullptr; // owned by the state's DAG
};

class StageReads {
 public:
  explicit StageReads(const State& state);

  /// The loads in the stage's own body; equal ones appear once.
  const std::vector<StageRead>& of(int stage) const { return reads_[stage]; }
  /// True when the consumer's body, with inlined stages put into it, reads the producer.
  bool reaches(int consumer, int producer) const { return reaches_[consumer][producer]; }

 private:
  std::vector<std::vector<StageRead>> reads_;
  std::vector<std::vector<bool>> reaches_;
};

} // namespace nestwright
