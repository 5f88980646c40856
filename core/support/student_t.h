#pragma once
/// \file Student's t, as far as intervals of 95 % need it.

namespace nestwright {

/// The 97.5 % quantile of Student's t; between the tabulated degrees of freedom that of the
/// smaller, so that an interval is too wide rather than too narrow.
double criticalT(double degrees);

} // namespace nestwright
