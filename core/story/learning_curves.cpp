#include "core/story/learning_curves.h"

#include "core/dataset/model_likeness.h"

#include <algorithm>
#include <map>
#include <utility>

namespace nestwright {

namespace {

/// All models, those of one group together, with their figures.
std::vector<LearningPoint> pointsOf(const ModelEvaluation& evaluation) {
  std::vector<LearningPoint> points;
  for (std::size_t g = 0; g < evaluation.groups.size(); ++g)
    points.push_back({0, evaluation.groups[g].models, evaluation.groupComparison.models[g]});
  if (evaluation.groups.empty())
    for (std::size_t model = 0; model < evaluation.models.size(); ++model)
      points.push_back({0, {model}, evaluation.comparison.models[model]});
  return points;
}

} // namespace

std::vector<LearningCurve> learningCurves(const Judgement& judgement) {
  std::vector<LearningCurve> curves;
  std::map<std::string, std::size_t> places; // of the curves, by what their models have in common
  for (LearningPoint& point : pointsOf(judgement.evaluation)) {
    for (const std::size_t model : point.models)
      if (judgement.files[model])
        point.programs += static_cast<double>(judgement.files[model]->programs) /
                          static_cast<double>(point.models.size());
    if (point.programs == 0) continue; // a yardstick, a session's, or an old file
    const ModelFile& file = *judgement.files[point.models.front()];
    const auto [place, isNew] = places.try_emplace(textWithoutSize(file), curves.size());
    if (isNew) {
      const bool told = file.options.is_object() && file.options.contains("loss");
      curves.push_back(
          {file.model, told ? file.options.at("loss").get<std::string>() : std::string(), {}});
    }
    curves[place->second].points.push_back(std::move(point));
  }
  for (LearningCurve& curve : curves)
    std::ranges::stable_sort(curve.points, {}, &LearningPoint::programs);
  return curves;
}

} // namespace nestwright
