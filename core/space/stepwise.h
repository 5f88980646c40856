#pragma once
/// \file Decisions of a sketch taken one after another, for a processor: what a beam search grows
/// its programs by.

#include "core/space/sketch.h"
#include "core/support/random.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nestwright {

/// Whether some split of the steps has an undecided factor.
bool hasOpenSplit(const Steps& steps);

/// The steps with the first such split decided, in every way that the options allow; so many of
/// them at most, drawn evenly. None where it cannot be decided.
std::vector<Steps> decideFirstSplit(const Steps& steps, const SpaceOptions& options,
                                    std::size_t most, Random& random);

/// A program of the sketch: what is still undecided in `steps` leaves the outermost loop whole, no
/// stage moves, loops are parallelised and vectorised as always, and `unroll` is the limit of
/// reducing stages. Its ranges are known. Nothing where that is illegal.
std::optional<State> completeByDefaults(const Sketch& sketch, const Steps& steps,
                                        const SpaceOptions& options, std::int64_t unroll);

} // namespace nestwright
