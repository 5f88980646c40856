#include "core/model/label_scale.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {

struct Sums {
  double programs = 0, score = 0, label = 0;
};

} // namespace

LabelScale fitLabelScale(const DataSet& set, std::span<const double> scores,
                         std::span<const float> labels) {
  constexpr double kPrior = 16; // programs that the ratio of the spreads counts as many as
  std::vector<Sums> tasks(set.tasks.size());
  Sums all;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (!std::isfinite(scores[i])) continue;
    for (Sums* sums : {&tasks[set.outcomes[i].task], &all}) {
      ++sums->programs;
      sums->score += scores[i];
      sums->label += static_cast<double>(labels[i]);
    }
  }
  double squares = 0, labelSquares = 0, products = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (!std::isfinite(scores[i])) continue;
    const Sums& task = tasks[set.outcomes[i].task];
    const double score = scores[i] - task.score / task.programs;
    const double label = static_cast<double>(labels[i]) - task.label / task.programs;
    squares += score * score;
    labelSquares += label * label;
    products += score * label;
  }
  if (squares <= 0) return {};
  const double spreads = std::sqrt(labelSquares / squares);
  LabelScale scale;
  scale.slope = std::max(0.0, (all.programs * products / squares + kPrior * spreads) /
                                  (all.programs + kPrior));
  scale.offset = (all.label - scale.slope * all.score) / all.programs;
  return scale;
}

} // namespace nestwright
