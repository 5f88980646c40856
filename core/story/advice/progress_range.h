#pragma once
/// \file The part of a best-so-far curve in which tuning shows. The first programs of a task are
/// many times slower than the last, and the naive one slower still: on an axis that has room for
/// them a curve that fell by a seventh looks flat.

#include "core/story/curve_data.h"

#include <optional>

namespace nestwright {

struct ProgressRange {
  double from = 0;            // x where the warm-up ends
  double before = 0, now = 0; // y there and at the end

  /// What came since, as a share of what was: −0.14 for a seventh less; 0 for no change.
  double change() const { return now / before - 1; }
};

/// The warm-up ends a twentieth of the curve's length after its first point, which for a total is
/// the first with all tasks measured. Nothing for a curve without points.
std::optional<ProgressRange> progressRange(const Curve& curve);

} // namespace nestwright
