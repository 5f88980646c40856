#pragma once
/// \file How good judged models are by how much they learned from.

#include "core/session/insight/judge_models.h"

#include <cstddef>
#include <string>
#include <vector>

namespace nestwright {

/// Models that learned from as much of the same, with all seeds that there are.
struct LearningPoint {
  double programs = 0; // learned from: the mean over the models
  SeedGroup models;    // of ModelEvaluation::models
  /// Parallel to ModelComparison::ids, with intervals over tasks, and over seeds where there are
  /// several.
  BoundedFigures figures;
};

/// Models that are one but for how much they learned from, and for their seeds.
struct LearningCurve {
  std::string model, loss;           // as ModelFile has them; no loss where the file does not say
  std::vector<LearningPoint> points; // by their programs, ascending
};

/// Of those models whose files say how much they learned from, in their order; also those of a
/// single point.
std::vector<LearningCurve> learningCurves(const Judgement& judgement);

} // namespace nestwright
