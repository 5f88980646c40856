#pragma once

#include <limits>

namespace nestwright {

/// The time of what has none, and the open end of a range.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

} // namespace nestwright
