#include "core/model/metrics.h"

#include "core/support/error.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestwright {
namespace {

using Values = std::span<const double>;
using Order = std::vector<std::size_t>;

void requireSameLength(Values predictions, Values labels) {
  NW_ASSERT(predictions.size() == labels.size(), "{} predictions beside {} labels",
            predictions.size(), labels.size());
}

/// Indices by descending value, the earlier first among equals.
Order descending(Values values) {
  Order order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](auto a, auto b) { return values[a] > values[b]; });
  return order;
}

/// Pairs (i < j) with values[i] > values[j]; sorts the values (merge sort).
double countInversions(std::vector<double>& values, std::vector<double>& scratch, std::size_t begin,
                       std::size_t end) {
  if (end - begin < 2) return 0;
  const std::size_t middle = begin + (end - begin) / 2;
  double count = countInversions(values, scratch, begin, middle) +
                 countInversions(values, scratch, middle, end);
  std::size_t left = begin, right = middle;
  for (std::size_t out = begin; out < end; ++out) {
    const bool takeRight = left == middle || (right < end && values[right] < values[left]);
    if (takeRight) count += static_cast<double>(middle - left);
    scratch[out] = values[takeRight ? right++ : left++];
  }
  std::copy(scratch.begin() + static_cast<std::ptrdiff_t>(begin),
            scratch.begin() + static_cast<std::ptrdiff_t>(end),
            values.begin() + static_cast<std::ptrdiff_t>(begin));
  return count;
}

double pairs(std::size_t count) {
  return 0.5 * static_cast<double>(count) * (static_cast<double>(count) - 1);
}

/// Pairs of neighbours in `order` that `same` holds equal.
template <class Same>
double tiedPairs(const Order& order, const Same& same) {
  double tied = 0;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && same(order[begin], order[end]))
      ++end;
    tied += pairs(end - begin);
    begin = end;
  }
  return tied;
}

/// Numbers of pairs, by how the two sides order them (Knight's algorithm).
struct PairCounts {
  double all = 0, tiedPrediction = 0, tiedLabel = 0, tiedBoth = 0, discordant = 0;
  double concordant() const { return all - tiedPrediction - tiedLabel + tiedBoth - discordant; }
};

PairCounts countPairs(Values predictions, Values labels) {
  requireSameLength(predictions, labels);
  PairCounts counts;
  counts.all = pairs(labels.size());
  Order order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](auto a, auto b) { return labels[a] < labels[b]; });
  counts.tiedLabel = tiedPairs(order, [&](auto a, auto b) { return labels[a] == labels[b]; });
  std::ranges::sort(order, [&](auto a, auto b) {
    return predictions[a] != predictions[b] ? predictions[a] < predictions[b]
                                            : labels[a] < labels[b];
  });
  const auto samePrediction = [&](auto a, auto b) { return predictions[a] == predictions[b]; };
  counts.tiedPrediction = tiedPairs(order, samePrediction);
  counts.tiedBoth = tiedPairs(
      order, [&](auto a, auto b) { return samePrediction(a, b) && labels[a] == labels[b]; });
  // Labels in the order of the predictions: every inversion is a pair that the two order unlike.
  std::vector<double> sorted, scratch(order.size());
  for (const std::size_t index : order)
    sorted.push_back(labels[index]);
  counts.discordant = countInversions(sorted, scratch, 0, sorted.size());
  return counts;
}

double bestOf(Values labels) {
  return labels.empty() ? 0 : *std::ranges::max_element(labels);
}

} // namespace

double rmse(Values predictions, Values labels) {
  requireSameLength(predictions, labels);
  if (labels.empty()) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
    sum += (predictions[i] - labels[i]) * (predictions[i] - labels[i]);
  return std::sqrt(sum / static_cast<double>(labels.size()));
}

double rSquared(Values predictions, Values labels) {
  requireSameLength(predictions, labels);
  constexpr double kConstant = 1e-6; // below it the labels do not vary (handbook/cost-models.md 1)
  const double mean = labels.empty() ? 0
                                     : std::accumulate(labels.begin(), labels.end(), 0.0) /
                                           static_cast<double>(labels.size());
  double residual = 0, total = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    residual += (labels[i] - predictions[i]) * (labels[i] - predictions[i]);
    total += (labels[i] - mean) * (labels[i] - mean);
  }
  return total < kConstant ? 1 : 1 - residual / total;
}

double mape(Values predictions, Values labels) {
  requireSameLength(predictions, labels);
  double sum = 0;
  std::size_t ran = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] <= 0) continue;
    sum += std::abs(predictions[i] - labels[i]) / labels[i];
    ++ran;
  }
  return ran == 0 ? 0 : sum / static_cast<double>(ran);
}

double pairwiseAccuracy(Values predictions, Values labels) {
  const PairCounts counts = countPairs(predictions, labels);
  if (counts.all == 0) return 0.5;
  const double tiedOnce = counts.tiedPrediction + counts.tiedLabel - 2 * counts.tiedBoth;
  return (counts.concordant() + counts.tiedBoth + tiedOnce / 2) / counts.all;
}

double rankCorrelation(Values predictions, Values labels) {
  const PairCounts counts = countPairs(predictions, labels);
  const double scale =
      std::sqrt((counts.all - counts.tiedPrediction) * (counts.all - counts.tiedLabel));
  return scale == 0 ? 0 : (counts.concordant() - counts.discordant) / scale;
}

double recallAt(std::size_t k, Values predictions, Values labels) {
  requireSameLength(predictions, labels);
  k = std::min(k, labels.size());
  if (k == 0) return 1;
  const auto firstK = [&](Values values) {
    Order order = descending(values);
    order.resize(k);
    std::ranges::sort(order);
    return order;
  };
  const Order predicted = firstK(predictions), best = firstK(labels);
  Order common;
  std::ranges::set_intersection(predicted, best, std::back_inserter(common));
  return static_cast<double>(common.size()) / static_cast<double>(k);
}

std::vector<std::size_t> descendingRanks(Values values) {
  const Order order = descending(values);
  std::vector<std::size_t> ranks(order.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank)
    ranks[order[rank]] = rank;
  return ranks;
}

double averageRecallAt(std::size_t k, Values predictions, std::span<const std::size_t> labelRanks) {
  NW_ASSERT(predictions.size() == labelRanks.size(), "{} predictions beside {} ranks",
            predictions.size(), labelRanks.size());
  k = std::min(k, predictions.size());
  if (k == 0) return 0;
  Order order(predictions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::partial_sort(
      order, order.begin() + static_cast<std::ptrdiff_t>(k), [&](auto a, auto b) {
        return predictions[a] != predictions[b] ? predictions[a] > predictions[b] : a < b;
      });
  // The program predicted at place i counts in every f(n) with n > i and n at least its rank.
  std::vector<std::size_t> joins(k + 1, 0);
  double sum = 0;
  std::size_t recalled = 0;
  for (std::size_t n = 0; n < k; ++n) {
    if (n > 0) ++joins[std::min(k, std::max(n, labelRanks[order[n - 1]]))];
    recalled += joins[n];
    sum += static_cast<double>(recalled) / static_cast<double>(n + 1);
  }
  return sum / static_cast<double>(k);
}

double peakAt(std::size_t k, Values predictions, Values labels) {
  requireSameLength(predictions, labels);
  const double best = bestOf(labels);
  if (best <= 0) return 1;
  const Order order = descending(predictions);
  double found = 0;
  for (std::size_t i = 0; i < std::min(k, order.size()); ++i)
    found = std::max(found, labels[order[i]]);
  return found / best;
}

double averagePeakAt(std::size_t k, Values predictions, Values labels) {
  requireSameLength(predictions, labels);
  const double best = bestOf(labels);
  if (best <= 0) return 1;
  const Order order = descending(predictions);
  k = std::min(k, order.size());
  double found = 0, sum = 0;
  for (std::size_t i = 0; i < k; ++i) {
    found = std::max(found, labels[order[i]]);
    sum += found;
  }
  return k == 0 ? 1 : sum / static_cast<double>(k) / best;
}

double pickedSeconds(std::size_t k, const TaskScores& task) {
  constexpr double kFailed = 1e-5; // throughput that a failed favourite counts as
  const double found = peakAt(k, task.predictions, task.labels) * bestOf(task.labels);
  return task.bestSeconds / std::max(found, kFailed);
}

double failedPicks(std::size_t k, const TaskScores& task) {
  k = std::min(k, task.labels.size());
  if (k == 0) return 0;
  const Order order = descending(task.predictions);
  const auto failed = std::count_if(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k),
                                    [&](auto i) { return task.labels[i] <= 0; });
  return static_cast<double>(failed) / static_cast<double>(k);
}

} // namespace nestwright
