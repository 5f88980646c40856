#include "core/story/model_ranking.h"

#include "core/support/infinity.h"

#include <algorithm>

namespace nestwright {

bool JudgedProgram::failed() const {
  return seconds == kInfinity;
}

std::vector<JudgedProgram> judgedPrograms(const Judgement& judgement, std::size_t task,
                                          std::size_t model) {
  const std::vector<double>& scores = judgement.scores[model].scores;
  const std::size_t wanted = judgement.evaluation.tasks[task];
  std::vector<JudgedProgram> programs;
  std::vector<double> predictions, speeds;
  for (const std::size_t i : judgement.programs) {
    const Outcome& outcome = judgement.data.set.outcomes[i];
    if (outcome.task != wanted) continue;
    programs.push_back({i, outcome.seconds, scores[i]});
    predictions.push_back(scores[i]);
    speeds.push_back(outcome.failed() ? 0 : 1 / outcome.seconds);
  }
  const std::vector<std::size_t> predicted = descendingRanks(predictions),
                                 measured = descendingRanks(speeds);
  for (std::size_t i = 0; i < programs.size(); ++i)
    programs[i].predicted = predicted[i] + 1, programs[i].measured = measured[i] + 1;
  std::ranges::sort(programs, {}, &JudgedProgram::predicted);
  return programs;
}

double topScore(const ModelEvaluation& evaluation, std::size_t model, std::size_t task,
                std::size_t k) {
  const TaskFigures& figures = evaluation.models[model].tasks[task];
  return figures.bestSeconds / figures.at[k].pickedSeconds;
}

BoundedFigures differenceOf(const ModelEvaluation& evaluation, std::size_t a, std::size_t b) {
  for (const ModelComparison::Difference& difference : evaluation.comparison.differences) {
    if (difference.a == a && difference.b == b) return difference.figures;
    if (difference.a != b || difference.b != a) continue;
    BoundedFigures turned = difference.figures;
    for (BoundedFigure& figure : turned)
      figure = {-figure.value, {-figure.bounds.high, -figure.bounds.low}};
    return turned;
  }
  return BoundedFigures(evaluation.comparison.ids.size());
}

} // namespace nestwright
