#include "core/feature/loop_marks.h"

#include <cmath>

namespace nestwright {

float logOf(double x) {
  return static_cast<float>(x >= 0 ? std::log2(x + 1) : -std::log2(1 - x));
}

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

} // namespace nestwright
