#pragma once
/// \file What a trained network says of programs, and how well it orders them.

#include "core/learn/train.h"
#include "core/model/metrics.h"

#include <map>
#include <utility>
#include <vector>

namespace nestwright::test {

inline std::vector<double> scores(Learner& learner, const TrainedNetwork& trained,
                                  const FeatureTable& table, int threads = 1) {
  return scoresOf(trained, learner.score(trained.network, table, threads), table);
}

/// The accuracy of pairs; the mean over the tasks that the set has programs of.
inline double pairwise(const std::vector<double>& scores, const DataSet& set) {
  const std::vector<float> labels = normalisedThroughput(set);
  std::map<std::size_t, std::pair<std::vector<double>, std::vector<double>>> byTask;
  for (std::size_t i = 0; i < set.size(); ++i) {
    auto& [predicted, actual] = byTask[set.outcomes[i].task];
    predicted.push_back(scores[i]);
    actual.push_back(static_cast<double>(labels[i]));
  }
  double sum = 0;
  for (const auto& [task, both] : byTask)
    sum += pairwiseAccuracy(both.first, both.second);
  return sum / static_cast<double>(byTask.size());
}

} // namespace nestwright::test
