#include "core/search/roulette.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

Roulette::Roulette(std::span<const double> scores) {
  double sum = 0;
  for (const double score : scores) {
    sum += std::isfinite(score) ? std::max(0.0, score) : 0.0;
    sums_.push_back(sum);
  }
}

std::size_t Roulette::draw(Random& random) const {
  if (sums_.back() <= 0) return random.below(sums_.size());
  const double point = random.unit() * sums_.back();
  const auto found = std::upper_bound(sums_.begin(), sums_.end(), point);
  return std::min<std::size_t>(static_cast<std::size_t>(found - sums_.begin()), sums_.size() - 1);
}

} // namespace nestwright
