#pragma once
/// \file How AutoTVM's features write down a number and what is done with a loop.

#include "core/schedule/state.h"

#include <cstddef>

namespace nestwright {

/// log2(x + 1), continued to negative numbers.
float logOf(double x);

/// Flags of a loop's annotation: block x, y, z, thread x, y, z, unrolled, vectorised, parallel,
/// serial, virtual thread.
inline constexpr std::size_t kAnnotationFlags = 11;
/// Which of them is set.
std::size_t annotationPlace(Annotation annotation);

} // namespace nestwright
