#include "core/session/run/best_claim.h"

#include "core/support/error.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {

/// A machine that is fit to measure on is nowhere near as noisy.
constexpr double kClearShare = 0.75;

} // namespace

PairedTimes firstPairs(const PairedTimes& pairs, std::size_t count) {
  const auto first = [&](const std::vector<double>& times) {
    return std::vector(times.begin(),
                       times.begin() + static_cast<std::ptrdiff_t>(std::min(count, times.size())));
  };
  return {first(pairs.claimant), first(pairs.best)};
}

ClaimVerdict judgeClaim(const PairedTimes& pairs) {
  const std::size_t count = pairs.claimant.size();
  NW_ASSERT(count == pairs.best.size(), "{} times beside {}", count, pairs.best.size());
  const ClaimStage* stage = nullptr;
  for (const ClaimStage& reached : kClaimStages)
    if (count >= static_cast<std::size_t>(reached.pairs)) stage = &reached;
  if (!stage) return ClaimVerdict::Open;
  double sum = 0;
  std::vector<double> gains;
  for (std::size_t i = 0; i < count; ++i) {
    gains.push_back(std::log(pairs.best[i] / pairs.claimant[i]));
    sum += gains.back();
  }
  const auto n = static_cast<double>(count);
  const double mean = sum / n;
  double squares = 0;
  for (const double gain : gains)
    squares += (gain - mean) * (gain - mean);
  const double error = std::sqrt(squares / (n - 1) / n);
  // Without any error an infinite bound is no number, and is not reached either.
  if (mean <= stage->rejectedUpTo * error) return ClaimVerdict::Rejected;
  return mean > stage->confirmedAbove * error ? ClaimVerdict::Confirmed : ClaimVerdict::Open;
}

bool isClearlyFaster(const std::vector<double>& repeats, double bestSeconds) {
  return std::ranges::all_of(repeats,
                             [&](double time) { return time < kClearShare * bestSeconds; });
}

} // namespace nestwright
