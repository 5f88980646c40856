#pragma once
/// \file Whether one latency is lower than another, or only looks so: two programs were measured
/// with a few repeats each, at different times.

#include <span>
#include <string>
#include <vector>

namespace nestwright {

/// One side of a comparison. Its latency is the median of its repeats.
struct LatencySample {
  std::vector<double> repeats; // seconds
  double median() const;       // infinity without repeats
};

enum class LatencyVerdict : unsigned char {
  Unknown,        // a side was not measured
  NotSignificant, // the interval contains 1: the two cannot be told apart
  RightFaster,
  LeftFaster
};
/// "not measured", "not significantly different", "right is faster", "left is faster"
const char* name(LatencyVerdict verdict);

struct LatencyComparison {
  LatencyVerdict verdict = LatencyVerdict::Unknown;
  double left = 0, right = 0; // medians, seconds
  double ratio = 1;           // left / right: above 1, right is so many times faster
  double low = 0, high = 0;   // 95 % interval of the ratio
};

/// Standard deviation, as a share, by which a whole measurement is off from another one of the same
/// program at another time, beyond what its repeats show. Repeats that follow one another do not
/// see it; differences of a few percent are therefore never called significant.
inline constexpr double kMeasurementDrift = 0.02;

/// The ratio of two medians with its interval: Welch's t on the logarithms of the repeats, with the
/// drift between measurements added. A side with a single repeat is taken to scatter like the other
/// one, but at least by 3 %.
LatencyComparison compareLatencies(const LatencySample& left, const LatencySample& right,
                                   double drift = kMeasurementDrift);

/// A sum of latencies, such as a network's: each term is a task's, `weight` times.
struct WeightedPair {
  double weight = 1;
  LatencySample left, right;
};
/// The same for the weighted sums; Unknown when any side of any pair was not measured.
LatencyComparison compareTotals(std::span<const WeightedPair> pairs,
                                double drift = kMeasurementDrift);

/// "1.24× faster (1.18× to 1.31×)", "not significantly different (0.97× to 1.04×)"; from the right
/// side's point of view.
std::string inWords(const LatencyComparison& comparison);

} // namespace nestwright
