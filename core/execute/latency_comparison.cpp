#include "core/execute/latency_comparison.h"

#include "core/support/infinity.h"
#include "core/support/name_table.h"
#include "core/support/student_t.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright {

namespace {

/// What a single repeat is taken to scatter by at least.
constexpr double kUnknownSpread = 0.03;
/// The standard error of a median over that of the mean, for normal noise.
constexpr double kMedianLoss = 1.25;

/// The variance of an estimate, and how well it is known.
struct EstimateError {
  double variance = 0, degrees = 1;
};

/// Of the logarithm of a side's median, from its repeats alone; `other` helps a single repeat.
EstimateError errorOf(const LatencySample& sample, const LatencySample& other) {
  const auto variance = [](const std::vector<double>& repeats) {
    double mean = 0, squares = 0;
    for (const double seconds : repeats)
      mean += std::log(seconds) / static_cast<double>(repeats.size());
    for (const double seconds : repeats)
      squares += (std::log(seconds) - mean) * (std::log(seconds) - mean);
    return squares / static_cast<double>(repeats.size() - 1);
  };
  const auto n = static_cast<double>(sample.repeats.size());
  if (sample.repeats.size() > 1)
    return {variance(sample.repeats) * kMedianLoss * kMedianLoss / n, n - 1};
  double spread = kUnknownSpread * kUnknownSpread;
  if (other.repeats.size() > 1) spread = std::max(spread, variance(other.repeats));
  return {spread, 2};
}

bool isMeasured(const LatencySample& sample) {
  return !sample.repeats.empty() &&
         std::ranges::all_of(sample.repeats, [](double s) { return s > 0 && std::isfinite(s); });
}

/// Adds up independent errors; their degrees of freedom by Welch and Satterthwaite.
class ErrorSum {
 public:
  void add(const EstimateError& error, double scale) {
    const double variance = error.variance * scale * scale;
    variance_ += variance;
    if (error.degrees > 0) inverse_ += variance * variance / error.degrees;
  }
  /// Half of the 95 % interval.
  double margin() const {
    const double degrees =
        inverse_ > 0 ? variance_ * variance_ / inverse_ : std::numeric_limits<double>::max();
    return criticalT(degrees) * std::sqrt(variance_);
  }

 private:
  double variance_ = 0, inverse_ = 0;
};

void judge(LatencyComparison& comparison, double margin) {
  comparison.ratio = comparison.left / comparison.right;
  comparison.low = comparison.ratio * std::exp(-margin);
  comparison.high = comparison.ratio * std::exp(margin);
  comparison.verdict = comparison.low > 1    ? LatencyVerdict::RightFaster
                       : comparison.high < 1 ? LatencyVerdict::LeftFaster
                                             : LatencyVerdict::NotSignificant;
}

} // namespace

double LatencySample::median() const {
  if (repeats.empty()) return kInfinity;
  std::vector<double> sorted = repeats;
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const char* name(LatencyVerdict verdict) {
  constexpr NameTable<LatencyVerdict, 4> kNames = {
      {"not measured", "not significantly different", "right is faster", "left is faster"}};
  return kNames.of(verdict);
}

LatencyComparison compareLatencies(const LatencySample& left, const LatencySample& right,
                                   double drift) {
  const WeightedPair pair{1, left, right};
  return compareTotals({&pair, 1}, drift);
}

LatencyComparison compareTotals(std::span<const WeightedPair> pairs, double drift) {
  LatencyComparison comparison;
  bool measured = !pairs.empty();
  for (const WeightedPair& pair : pairs) {
    comparison.left += pair.weight * pair.left.median();
    comparison.right += pair.weight * pair.right.median();
    measured = measured && isMeasured(pair.left) && isMeasured(pair.right);
  }
  if (!measured) return comparison;
  // The logarithm of a sum moves with each term by the term's share of it.
  ErrorSum sum;
  const EstimateError drifting{drift * drift, 0};
  for (const WeightedPair& pair : pairs) {
    const double l = pair.weight * pair.left.median() / comparison.left;
    const double r = pair.weight * pair.right.median() / comparison.right;
    sum.add(errorOf(pair.left, pair.right), l);
    sum.add(errorOf(pair.right, pair.left), r);
    sum.add(drifting, l);
    sum.add(drifting, r);
  }
  judge(comparison, sum.margin());
  return comparison;
}

std::string inWords(const LatencyComparison& c) {
  switch (c.verdict) {
  case LatencyVerdict::Unknown:
    return "not measured";
  case LatencyVerdict::NotSignificant:
    return fmt::format("not significantly different ({:.3g}× to {:.3g}× as fast)", c.low, c.high);
  case LatencyVerdict::RightFaster:
    return fmt::format("{:.3g}× faster ({:.3g}× to {:.3g}×)", c.ratio, c.low, c.high);
  case LatencyVerdict::LeftFaster:
    return fmt::format("{:.3g}× slower ({:.3g}× to {:.3g}×)", 1 / c.ratio, 1 / c.high, 1 / c.low);
  }
  return {};
}

} // namespace nestwright
