#pragma once
/// \file What a search saw on its way to a proposal, for those who want to look at it. Keeping it
/// costs memory and changes nothing.

#include "core/schedule/step.h"
#include "core/search/annealing.h"
#include "core/search/origin.h"
#include "core/search/pick_reason.h"

#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// A program of a generation.
struct SeenProgram {
  std::string programId;
  Steps steps;
  double score = 0; // predicted; minus infinity when it cannot be scored
  Origin origin = Origin::Unknown;
  std::vector<std::string> parents; // programIds
  int sketch = -1;                  // its index; -1: of none
};

/// All programs of one generation; the same program may be there more than once.
using SeenGeneration = std::vector<SeenProgram>;

/// A configuration of a plan.
struct PlanPick {
  std::int64_t config = 0; // of the template's space
  PickReason reason = PickReason::None;
  std::optional<double> energy = {}; // for which it was picked; none of one drawn at random
};

/// How a plan of configurations was made.
struct PlanLog {
  int chains = 0, steps = 0;            // of the annealing
  std::vector<AnnealingMoment> moments; // of it
  double epsilon = 0;                   // share of the plan that is random
  int byScore = 0, byDiversity = 0, atRandom = 0;
  /// The best energy that was found, and the least of those that were chosen for theirs.
  double bestEnergy = 0, leastEnergy = 0;
  std::vector<PlanPick> picks; // in the order of measuring; empty where they were not kept
};

struct SearchLog {
  std::uint64_t drawn = 0, legal = 0;      // random programs: tried, and good
  std::size_t measuredParents = 0;         // measured programs that joined them
  std::vector<SeenGeneration> generations; // the first is the initial population
  std::vector<std::string> best;           // programIds of the best ones ever seen, best first
  std::optional<PlanLog> plan;             // where one was made
};

} // namespace nestwright
