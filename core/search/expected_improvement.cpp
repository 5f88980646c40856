#include "core/search/expected_improvement.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace nestwright {

double expectedImprovement(double mean, double deviation, double best) {
  const double gain = mean - best;
  if (!(deviation > 0)) return std::max(0.0, gain);
  const double z = gain / deviation;
  const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
  const double density = std::exp(-z * z / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return gain * below + deviation * density;
}

} // namespace nestwright
