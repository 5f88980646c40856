#include "core/model/yardsticks.h"

#include "core/support/random.h"

namespace nestwright {

std::vector<double> randomScores(const DataSet& set, std::uint64_t seed) {
  std::vector<double> scores;
  scores.reserve(set.size());
  for (const Outcome& outcome : set.outcomes)
    scores.push_back(Random(hash64(outcome.program, hash64(set.tasks[outcome.task], seed))).unit());
  return scores;
}

std::vector<double> oracleScores(const DataSet& set) {
  const std::vector<float> labels = normalisedThroughput(set);
  return {labels.begin(), labels.end()};
}

} // namespace nestwright
