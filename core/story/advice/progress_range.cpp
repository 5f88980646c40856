#include "core/story/advice/progress_range.h"

#include <algorithm>

namespace nestwright {

std::optional<ProgressRange> progressRange(const Curve& curve) {
  static constexpr double kWarmUpShare = 0.05;
  if (curve.empty()) return std::nullopt;
  ProgressRange range;
  range.from = std::min(curve.x.front() + kWarmUpShare * curve.x.back(), curve.x.back());
  range.now = curve.y.back();
  const auto after = std::ranges::upper_bound(curve.x, range.from);
  range.before = curve.y[static_cast<std::size_t>(after - curve.x.begin()) - 1];
  return range;
}

} // namespace nestwright
