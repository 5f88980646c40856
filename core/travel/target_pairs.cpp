#include "core/travel/target_pairs.h"

#include "core/model/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright {

namespace {

bool isConstant(const std::vector<double>& values) {
  return std::ranges::adjacent_find(values, std::not_equal_to{}) == values.end();
}

TargetPair pairOf(const TaskTimes& task, std::size_t a, std::size_t b) {
  TargetPair pair{task.targets[a], task.targets[b], 0, 0, std::nullopt};
  std::vector<double> left, right;
  for (std::size_t program = 0; program < task.programs.size(); ++program) {
    const double onA = task.of(program)[a], onB = task.of(program)[b];
    if (std::isnan(onA) || std::isnan(onB)) continue;
    if (std::isfinite(onA) && std::isfinite(onB)) {
      left.push_back(onA);
      right.push_back(onB);
    } else if (std::isfinite(onA) || std::isfinite(onB)) {
      ++pair.failedOnOne;
    }
  }
  pair.shared = left.size();
  if (!isConstant(left) && !isConstant(right)) pair.rankCorrelation = rankCorrelation(left, right);
  return pair;
}

/// The rank correlations that a pair of targets has, one a task that counts.
double mean(std::span<const double> values, std::span<const double> counts) {
  double sum = 0, drawn = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += counts[i] * values[i];
    drawn += counts[i];
  }
  return sum / drawn; // as many are drawn as there are
}

BoundedFigure boundedMean(const std::vector<double>& values, const BootstrapOptions& options) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (values.empty()) return {kNone, {kNone, kNone}};
  std::vector<double> resampled;
  if (values.size() > 1)
    forEachResample(values.size(), options, [&](std::span<const double> counts) {
      resampled.push_back(mean(values, counts));
    });
  return {mean(values, std::vector<double>(values.size(), 1)), bounds95(std::move(resampled))};
}

} // namespace

std::vector<TargetPair> targetPairs(const TaskTimes& task) {
  std::vector<TargetPair> pairs;
  for (std::size_t a = 0; a < task.targets.size(); ++a)
    for (std::size_t b = a + 1; b < task.targets.size(); ++b)
      pairs.push_back(pairOf(task, a, b));
  return pairs;
}

std::vector<PooledPair> pooledPairs(std::size_t targets,
                                    const std::vector<std::vector<TargetPair>>& tasks,
                                    std::size_t leastShared, const BootstrapOptions& options) {
  std::vector<PooledPair> pooled;
  for (std::size_t a = 0; a < targets; ++a)
    for (std::size_t b = a + 1; b < targets; ++b) {
      PooledPair& all = pooled.emplace_back(PooledPair{a, b, 0, 0, 0, 0, {}});
      std::vector<double> correlations;
      for (const std::vector<TargetPair>& pairs : tasks)
        for (const TargetPair& pair : pairs) {
          if (pair.a != a || pair.b != b) continue;
          all.failedOnOne += pair.failedOnOne;
          if (pair.shared < leastShared || !pair.rankCorrelation) {
            ++all.tooFew;
            continue;
          }
          ++all.tasks;
          all.shared += pair.shared;
          correlations.push_back(*pair.rankCorrelation);
        }
      all.rankCorrelation = boundedMean(correlations, options);
    }
  return pooled;
}

} // namespace nestwright
