#pragma once
/// \file Which stages read which, directly and through inlined stages.

#include "core/schedule/state.h"

#include <vector>

namespace nestwright {

/// One load in the body of a stage.
struct StageRead {
  int producer = 0;
  int times = 1;                  // that it occurs
  const ExprNode* load = nullptr; // owned by the state's DAG
};

/// A chain of stages that each read the one before twice doubles with every stage that is inlined:
/// no program is made of a body with more loads than this.
inline constexpr std::int64_t kMostExpandedReads = 100'000;

class StageReads {
 public:
  explicit StageReads(const State& state);

  /// The loads in the stage's own body; equal ones appear once.
  const std::vector<StageRead>& of(int stage) const { return reads_[stage]; }
  /// True when the consumer's body, with inlined stages put into it, reads the producer.
  bool reaches(int consumer, int producer) const { return reaches_[consumer][producer]; }
  /// Loads in the consumer's body once inlined stages are put into it, kMostExpandedReads at most
  /// and one.
  std::int64_t expanded(int consumer) const { return expanded_[consumer]; }

 private:
  std::vector<std::vector<StageRead>> reads_;
  std::vector<std::vector<bool>> reaches_;
  std::vector<std::int64_t> expanded_;
};

} // namespace nestwright
