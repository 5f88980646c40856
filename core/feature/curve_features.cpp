#include "core/feature/curve_features.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace nestwright {
namespace {

using Points = std::vector<double>;

/// What stages that copy a buffer are called after: "A" for "A.local".
std::string rawName(const std::string& buffer) {
  return buffer.substr(0, buffer.find('.'));
}

/// Accesses in the innermost loops, by name: of those to memory of one raw name the last.
std::vector<int> innermostAccesses(const TouchedNest& nest) {
  int deepest = 0;
  for (const TouchedLoop& loop : nest.loops)
    deepest = std::max(deepest, loop.level);
  std::set<int, std::greater<>> inside;
  for (const TouchedLoop& loop : nest.loops)
    if (loop.level == deepest)
      for (const LoopTouch& touch : loop.touches)
        inside.insert(touch.access);
  std::set<std::string> seen;
  std::vector<int> accesses;
  for (const int access : inside)
    if (seen.insert(rawName(nest.accesses[static_cast<std::size_t>(access)].buffer)).second)
      accesses.push_back(access);
  std::ranges::sort(accesses, {}, [&](int access) -> const std::string& {
    return nest.accesses[static_cast<std::size_t>(access)].name;
  });
  return accesses;
}

/// `y` over `x` at 0, 1, ...: the value at the last point at or before, and how far behind that is.
void sample(const Points& x, const Points& y, std::vector<float>& features) {
  constexpr int kSamples = 20;
  constexpr double kRounding = 1e-6;
  std::size_t last = 0;
  for (int at = 0; at < kSamples; ++at) {
    while (last + 1 < x.size() && at > x[last + 1] - kRounding)
      ++last;
    features.push_back(static_cast<float>(y[last]));
    features.push_back(static_cast<float>(at - x[last]));
  }
}

} // namespace

std::vector<float> curveFeatures(const TouchedNest& nest) {
  std::vector<float> features;
  for (const int access : innermostAccesses(nest)) {
    Points count{0}, reuse{0}, topdown{0};
    for (const TouchedLoop& loop : nest.loops) {
      const auto touch = std::ranges::find(loop.touches, access, &LoopTouch::access);
      if (touch == loop.touches.end()) continue;
      count.push_back(std::log2(touch->count));
      reuse.push_back(std::log2(touch->reuse));
      topdown.push_back(std::log2(loop.topdown));
    }
    for (Points* points : {&count, &reuse, &topdown})
      std::ranges::sort(*points);
    sample(count, reuse, features);
    sample(reuse, count, features);
    sample(count, topdown, features);
    sample(topdown, count, features);
  }
  return features;
}

} // namespace nestwright
