#pragma once
/// \file AutoTVM's "itervar" features: of each loop, and of each access under it.

#include "core/feature/touched_nest.h"

#include <vector>

namespace nestwright {

/// Loop after loop, 18 numbers each and 6 more for each access under it (handbook/cost-models.md
/// 3.4). Loop nests of one form have vectors of one length.
std::vector<float> itervarFeatures(const TouchedNest& nest);

} // namespace nestwright
