#pragma once
/// \file Student's t, as far as intervals of 95 % need it.

#include <span>

namespace nestwright {

/// The 97.5 % quantile of Student's t; between the tabulated degrees of freedom that of the
/// smaller, so that an interval is too wide rather than too narrow.
double criticalT(double degrees);

/// A mean, and how far its 95 % interval reaches on either side: 0 for fewer than two values.
struct MeanInterval {
  double mean = 0, half = 0;
};
MeanInterval meanInterval(std::span<const double> values);

} // namespace nestwright
