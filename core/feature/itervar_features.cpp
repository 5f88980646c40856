#include "core/feature/itervar_features.h"

#include "core/feature/loop_marks.h"

#include <array>

namespace nestwright {

std::vector<float> itervarFeatures(const TouchedNest& nest) {
  constexpr double kNoRemainder = -1; // how the public code says that an index has no "mod"
  constexpr std::size_t kOfLoop = 18, kOfTouch = 6;
  std::size_t length = 0;
  for (const TouchedLoop& loop : nest.loops)
    length += kOfLoop + kOfTouch * loop.touches.size();
  std::vector<float> features;
  features.reserve(length);
  const auto add = [&](double value) { features.push_back(logOf(value)); };
  for (const TouchedLoop& loop : nest.loops) {
    add(loop.length);
    features.push_back(static_cast<float>(loop.level));
    add(loop.topdown);
    add(loop.bottomup);
    std::array<float, kAnnotationFlags> annotation{};
    annotation[annotationPlace(loop.annotation)] = 1;
    features.insert(features.end(), annotation.begin(), annotation.end());
    add(loop.addSub);
    add(loop.mul);
    add(loop.divMod);
    for (const LoopTouch& touch : loop.touches) {
      add(touch.stride);
      add(kNoRemainder);
      add(touch.count);
      add(touch.reuse);
      add(touch.threadCount);
      add(touch.threadReuse);
    }
  }
  return features;
}

} // namespace nestwright
