#pragma once
/// \file Selection in proportion to fitness.

#include "core/support/random.h"

#include <span>
#include <vector>

namespace nestwright {

/// Draws indices in proportion to the positive part of the scores; uniformly when none is positive.
/// What has no finite score is drawn only then. (The public implementation divides by the sum
/// either way, and a generation without a positive score descends from its first program alone.)
class Roulette {
 public:
  /// At least one score.
  explicit Roulette(std::span<const double> scores);
  std::size_t draw(Random& random) const;

 private:
  std::vector<double> sums_; // of the scores up to each
};

} // namespace nestwright
