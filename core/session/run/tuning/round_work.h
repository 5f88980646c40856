#pragma once
/// \file What a round's work was, and what is told of it at its end.

#include "core/result/measure_result.h"
#include "core/search/search_policy.h"
#include "core/session/run/cost_learner.h"
#include "core/session/run/events.h"
#include "core/session/run/part_clock.h"

namespace nestwright {

/// What a round's work was, beside where its time went.
struct RoundWork {
  double kernel = 0, build = 0, compile = 0; // seconds
  ScoringTime scoring;                       // of the proposal
  double beside = 0; // seconds that its proposal took beside the round before
  int trials = 0;

  void add(const MeasureResult& result) {
    kernel += result.runSeconds;
    build += result.buildSeconds;
  }
};

/// The end of a round, with where its time went until now.
RoundFinished roundFinished(RowId task, int round, const Proposal& proposal, const RoundWork& work,
                            PartClock& parts);

} // namespace nestwright
