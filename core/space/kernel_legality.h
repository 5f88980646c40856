#pragma once
/// \file What a GPU allows its kernels. Private to this room; legality.h asks it.

#include "core/space/legality.h"

namespace nestwright {

/// The first of the GPU's limits that a kernel of the program is beyond.
std::optional<Illegality> illegalKernel(const State& state, const Bounds& bounds,
                                        const SpaceOptions& options, KernelLimits limits);

} // namespace nestwright
