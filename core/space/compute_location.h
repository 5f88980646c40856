#pragma once
/// \file Where a stage may be computed.

#include "core/schedule/state.h"
#include "core/tensor/access_analysis.h"

#include <string>
#include <vector>

namespace nestwright {

/// The loops of its consumer's nest at which the stage may be computed (handbook/ansor.md 3.4);
/// empty when its consumers share no nest. Loops of known extent 1 are left out: they would give
/// the same program again.
std::vector<AttachPoint> computeLocations(const State& state, const AccessAnalysis& analysis,
                                          int stage);

/// Where a stage that may be moved can go, as ProgramChoices names it; extents that are not known
/// yet may take some of it away.
std::vector<std::string> placesOf(const State& state, const AccessAnalysis& analysis, int stage);

} // namespace nestwright
