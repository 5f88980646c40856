#pragma once
/// \file What a session's policy proposes from, as the session knows it now.

#include "core/search/search_policy.h"
#include "core/session/run/again/measure_again.h"
#include "core/session/run/tuning/session_learner.h"

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

namespace nestwright {

/// The context of a proposal, and the programs that come before it. It points to the task and to
/// the cost model.
struct ProposalInputs {
  SearchContext context;
  std::vector<Steps> first;
};

/// Gathers them from the session's parts.
class InputGatherer {
 public:
  InputGatherer(const RunLog& log, const RunSettings& settings, TaskBook& tasks,
                const SessionLearner& learner, const GivenPrograms& given)
      : log_(log), settings_(settings), tasks_(tasks), learner_(learner), given_(given) {}

  /// For `count` programs of the task from this draw on. `ofRound`: programs that the open round
  /// measured already, which count as not measured. Who is to know what is left to the caller:
  /// SearchContext::known, log, afterPhase and stop are empty.
  ProposalInputs gather(TunedTask& task, int count, std::uint64_t firstDraw,
                        const std::unordered_set<std::string>& ofRound) const;

 private:
  const RunLog& log_;
  const RunSettings& settings_;
  TaskBook& tasks_;
  const SessionLearner& learner_;
  const GivenPrograms& given_;
};

} // namespace nestwright
