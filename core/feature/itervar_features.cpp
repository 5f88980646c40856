#include "core/feature/itervar_features.h"

#include <array>
#include <cmath>

namespace nestwright {
namespace {

/// log2(x + 1), continued to negative numbers.
float logOf(double x) {
  return static_cast<float>(x >= 0 ? std::log2(x + 1) : -std::log2(1 - x));
}

/// The places of a loop's annotation among the eleven there are.
constexpr std::size_t kAnnotationFlags = 11;
std::size_t annotationPlace(Annotation annotation) {
  constexpr std::size_t kBlocks = 0, kThreads = 3, kUnrolled = 6, kVectorized = 7, kParallel = 8,
                        kSerial = 9, kVirtualThread = 10;
  if (const auto axis = blockAxis(annotation)) return kBlocks + *axis;
  if (const auto axis = threadAxis(annotation)) return kThreads + *axis;
  switch (annotation) {
  case Annotation::Unroll:
    return kUnrolled;
  case Annotation::Vectorize:
    return kVectorized;
  case Annotation::Parallel:
    return kParallel;
  case Annotation::VThread:
    return kVirtualThread;
  default:
    return kSerial;
  }
}

} // namespace

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
