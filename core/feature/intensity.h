#pragma once
/// \file Arithmetic intensity over the loops of a statement.

#include "core/feature/nest_features.h"

namespace nestwright {

/// Operations per byte at ten equal steps of the operations done, interpolated between the loops
/// (handbook/ansor.md 6.5). `perIteration` counts one execution, `memory` the bytes that each loop
/// touches, innermost first. Zeros when there is no loop or no operation.
std::array<double, kIntensitySamples> intensityCurve(double perIteration,
                                                     const std::vector<EnclosingLoop>& loops,
                                                     const std::vector<double>& memory);

} // namespace nestwright
