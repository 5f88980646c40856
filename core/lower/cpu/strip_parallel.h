#pragma once
/// \file Pass: lanes for parallel loops over neighbouring elements.

#include "core/lower/loop_ir.h"
#include "core/lower/lower.h"

#include <algorithm>
#include <cstdint>

namespace nestwright {

/// Strips of a loop that leave work for so many cores, two for each, however they are shared.
inline std::int64_t leastStrips(int cores) {
  return std::max<std::int64_t>(16, std::int64_t{2} * cores);
}

/// A parallel loop whose iterations work on neighbouring elements, in every access to a buffer from
/// outside, leaves nothing inside to vectorise: a pooling over one pixel, parallel over its
/// channels. Each thread's iterations are taken in strips of a few vectors, and the loop over a
/// strip moves inside, around each of the body's statements; buffers of the body get one more
/// dimension. Iterations of a parallel loop are independent, so their order is free. Where the
/// strips are fewer than leastStrips(), or the extent has no suitable divisor, the loop stays.
Stmt stripParallelLoops(const Stmt& s, const LowerOptions& options);

} // namespace nestwright
