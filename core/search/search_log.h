#pragma once
/// \file What a search saw on its way to a proposal, for those who want to look at it. Keeping it
/// costs memory and changes nothing.

#include "core/schedule/step.h"
#include "core/search/origin.h"

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
  int sketch = 0;
};

/// All programs of one generation; the same program may be there more than once.
using SeenGeneration = std::vector<SeenProgram>;

struct SearchLog {
  std::uint64_t drawn = 0, legal = 0;      // random programs: tried, and good
  std::size_t measuredParents = 0;         // measured programs that joined them
  std::vector<SeenGeneration> generations; // the first is the initial population
  std::vector<std::string> best;           // programIds of the best ones ever seen, best first
};

} // namespace nestwright
