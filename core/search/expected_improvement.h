#pragma once
/// \file How much a measurement may bring (handbook/cost-models.md 4.4).

namespace nestwright {

/// The mean of what a normally distributed value lies above `best`, by as much as it does; where
/// nothing is uncertain, what the mean itself lies above it.
double expectedImprovement(double mean, double deviation, double best);

} // namespace nestwright
