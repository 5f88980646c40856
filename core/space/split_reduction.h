#pragma once
/// \file Into how many parts a reduction is cut whose parts have blocks of their own. Private to
/// this room.

#include "core/schedule/state.h"
#include "core/support/random.h"

#include <vector>

namespace nestwright {

/// From 2 to 16, those that divide the axis evenly.
std::vector<std::int64_t> partsOf(std::int64_t extent);

/// The steps of a sketch, as far as they are decided, with a number of parts drawn where one is
/// undecided, and with the extents that follow from it; the dimension of the parts itself is not
/// tiled. The steps themselves where there is none.
Steps drawReductionParts(const State& sketch, Steps steps, Random& random);

} // namespace nestwright
