#include "core/session/race/signed_rank.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace nestwright {

namespace {

constexpr std::size_t kMostExact = 50;

/// Twice the rank of each by size, so that shared ranks are whole numbers too.
std::vector<std::int64_t> doubledRanks(const std::vector<double>& sizes) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::sort(order, {}, [&](std::size_t i) { return sizes[i]; });
  std::vector<std::int64_t> ranks(sizes.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last < order.size() && sizes[order[last]] == sizes[order[first]])
      ++last;
    // The ranks first + 1 … last on average, twice.
    for (std::size_t i = first; i < last; ++i)
      ranks[order[i]] = static_cast<std::int64_t>(first + 1 + last);
    first = last;
  }
  return ranks;
}

/// The chance that the sum of the ranks whose sign is drawn plus is at most `sum`.
double exactAtMost(const std::vector<std::int64_t>& ranks, std::int64_t sum) {
  const std::int64_t all = std::reduce(ranks.begin(), ranks.end());
  std::vector<double> chance(static_cast<std::size_t>(all) + 1, 0);
  chance[0] = 1;
  for (const std::int64_t rank : ranks)
    for (std::int64_t s = all; s >= 0; --s)
      chance[std::size_t(s)] =
          (chance[std::size_t(s)] + (s >= rank ? chance[std::size_t(s - rank)] : 0)) / 2;
  return std::reduce(chance.begin(), chance.begin() + sum + 1);
}

double normalAtMost(const std::vector<std::int64_t>& ranks, std::int64_t sum) {
  double mean = 0, variance = 0;
  for (const std::int64_t rank : ranks) {
    mean += double(rank) / 2;
    variance += double(rank) * double(rank) / 4;
  }
  constexpr double kContinuity = 1; // half a rank, doubled
  const double z = (double(sum) + kContinuity - mean) / std::sqrt(variance);
  return std::erfc(-z / std::sqrt(2)) / 2;
}

} // namespace

SignedRank signedRank(std::span<const double> differences) {
  std::vector<double> sizes;
  std::vector<bool> positive;
  for (const double difference : differences)
    if (difference != 0) {
      sizes.push_back(std::abs(difference));
      positive.push_back(difference > 0);
    }
  if (sizes.empty()) return {};
  const std::vector<std::int64_t> ranks = doubledRanks(sizes);
  std::int64_t plus = 0, all = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    all += ranks[i];
    if (positive[i]) plus += ranks[i];
  }
  const std::int64_t minus = all - plus, smaller = std::min(plus, minus);
  const double tail =
      sizes.size() <= kMostExact ? exactAtMost(ranks, smaller) : normalAtMost(ranks, smaller);
  return {std::min(1.0, 2 * tail), plus > minus ? 1 : plus < minus ? -1 : 0};
}

std::vector<double> holmAdjusted(std::span<const double> ps) {
  std::vector<std::size_t> order(ps.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return ps[i]; });
  std::vector<double> adjusted(ps.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, std::min(1.0, double(ps.size() - i) * ps[order[i]]));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

} // namespace nestwright
