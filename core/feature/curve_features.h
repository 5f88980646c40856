#pragma once
/// \file AutoTVM's "curve" features: how reuse, iterations and memory of an access grow together
/// along the loops around it. They do not depend on how many loops there are.

#include "core/feature/touched_nest.h"

#include <vector>

namespace nestwright {

/// Four sampled curves of 20 points for each access in the innermost loops that counts
/// (handbook/cost-models.md 3.4): 160 numbers an access, by its name.
std::vector<float> curveFeatures(const TouchedNest& nest);

} // namespace nestwright
