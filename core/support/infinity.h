#pragma once
/// \file Infinity, as a time and as a bound.

#include <limits>

namespace nestwright {

/// The time of what has none, and the open end of a range.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

} // namespace nestwright
