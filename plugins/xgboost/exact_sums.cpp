#include "plugins/xgboost/exact_sums.h"

#include <algorithm>
#include <cmath>

namespace nestwright::xgboost {

void roundForExactSums(std::vector<float>& values) {
  constexpr int kBits = 22;
  float largest = 0;
  for (const float value : values)
    largest = std::max(largest, std::abs(value));
  if (largest == 0) return;
  const float unit = std::ldexp(1.0F, std::ilogb(largest) - kBits);
  for (float& value : values)
    value = std::nearbyint(value / unit) * unit;
}

} // namespace nestwright::xgboost
