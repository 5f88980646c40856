#include "core/session/run/best_claim.h"

#include "core/support/error.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace nestwright {

namespace {

/// A machine that is fit to measure on is nowhere near as noisy.
constexpr double kClearShare = 0.75;
/// One-sided critical values of Student's t at 0.001, by number of pairs.
constexpr double kCriticalAtFive = 7.17, kCriticalAtTen = 4.30;

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
  if (count < 2) return ClaimVerdict::Open;
  double sum = 0;
  std::vector<double> gains;
  for (std::size_t i = 0; i < count; ++i) {
    gains.push_back(std::log(pairs.best[i] / pairs.claimant[i]));
    sum += gains.back();
  }
  const auto n = static_cast<double>(count);
  const double mean = sum / n;
  if (mean <= 0) return ClaimVerdict::Rejected;
  if (count < 5) return ClaimVerdict::Open; // so few can prove nothing
  double squares = 0;
  for (const double gain : gains)
    squares += (gain - mean) * (gain - mean);
  const double error = std::sqrt(squares / (n - 1) / n);
  if (mean > (count < 10 ? kCriticalAtFive : kCriticalAtTen) * error)
    return ClaimVerdict::Confirmed;
  return count < 10 && mean > error ? ClaimVerdict::Open : ClaimVerdict::Rejected;
}

bool isClearlyFaster(const std::vector<double>& repeats, double bestSeconds) {
  return std::ranges::all_of(repeats,
                             [&](double time) { return time < kClearShare * bestSeconds; });
}

} // namespace nestwright
