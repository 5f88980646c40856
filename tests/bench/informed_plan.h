#pragma once
/// \file What a task scheduler could save at best: a plan that knows in advance how fast the
/// programs of every task are, which no scheduler does.

#include "tests/bench/scheduler_replay.h"

namespace nestwright::bench {

/// Random trials of a task drawn from its recorded ones again and again: the best time to be
/// expected after so many. `seconds` ascending, without failures; `failures` of the draws fail.
/// Infinity when there is no valid program.
double expectedBest(const std::vector<double>& seconds, std::size_t failures, std::int64_t trials);

struct InformedPlan {
  double seconds = 0;                // expected total after round-robin's trials
  std::int64_t roundRobinTrials = 0; // the same number for every task
  std::int64_t trials = 0;           // that the plan needs for the same expected total
  double share() const {
    return static_cast<double>(trials) / static_cast<double>(roundRobinTrials);
  }
};

/// The plan gives every next trial to the task that gains most from it, weighted by its
/// appearances; as gains only shrink, no plan needs fewer. Tasks without a valid program are left
/// out.
InformedPlan informedPlan(const std::vector<RecordedTask>& tasks, std::int64_t roundRobinTrials);

} // namespace nestwright::bench
