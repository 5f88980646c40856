#include "plugins/xgboost/ranking_loss.h"

#include "core/support/random.h"
#include "plugins/xgboost/exact_sums.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestwright::xgboost {
namespace {

Gradients rounded(Gradients gradients) {
  roundForExactSums(gradients.slopes);
  roundForExactSums(gradients.hessians);
  return gradients;
}

} // namespace

Gradients squaredError(const std::vector<double>& scores, const std::vector<float>& labels) {
  Gradients gradients;
  for (std::size_t i = 0; i < labels.size(); ++i)
    gradients.slopes.push_back(static_cast<float>(scores[i] - static_cast<double>(labels[i])));
  gradients.hessians.assign(labels.size(), 1);
  return rounded(std::move(gradients));
}

PairwiseRank::PairwiseRank(const std::vector<float>& labels) : byLabel_(labels.size()) {
  std::iota(byLabel_.begin(), byLabel_.end(), std::size_t{0});
  std::ranges::stable_sort(byLabel_, [&](auto a, auto b) { return labels[a] > labels[b]; });
  for (std::size_t begin = 0; begin < byLabel_.size();) {
    std::size_t end = begin + 1;
    while (end < byLabel_.size() && labels[byLabel_[end]] == labels[byLabel_[begin]])
      ++end;
    buckets_.push_back({begin, end});
    begin = end;
  }
}

Gradients PairwiseRank::gradients(const std::vector<double>& scores, std::uint64_t seed,
                                  int round) const {
  constexpr double kLeastHessian = 1e-16; // as XGBoost has it
  Gradients gradients;
  gradients.slopes.assign(byLabel_.size(), 0);
  gradients.hessians.assign(byLabel_.size(), 0);
  Random random = Random::stream(seed, "ranked pairs", static_cast<std::uint64_t>(round));
  for (const Bucket& bucket : buckets_) {
    const std::size_t others = byLabel_.size() - (bucket.end - bucket.begin);
    if (others == 0) break;
    for (std::size_t place = bucket.begin; place < bucket.end; ++place) {
      const std::size_t drawn = random.below(others);
      const bool isBetter = drawn < bucket.begin;
      const std::size_t partner = byLabel_[isBetter ? drawn : drawn + bucket.end - bucket.begin];
      const std::size_t better = isBetter ? partner : byLabel_[place];
      const std::size_t worse = isBetter ? byLabel_[place] : partner;
      const double right = 1 / (1 + std::exp(scores[worse] - scores[better]));
      const auto slope = static_cast<float>(right - 1);
      const auto hessian = static_cast<float>(2 * std::max(right * (1 - right), kLeastHessian));
      gradients.slopes[better] += slope;
      gradients.slopes[worse] -= slope;
      gradients.hessians[better] += hessian;
      gradients.hessians[worse] += hessian;
    }
  }
  return rounded(std::move(gradients));
}

} // namespace nestwright::xgboost
