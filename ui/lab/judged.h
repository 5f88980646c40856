#pragma once
/// \file A comparison of models as the pages of its view share it, what is looked at in it, and how
/// its parts are called.

#include "core/story/model_ranking.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace nestwright::ui {

using Judged = std::shared_ptr<const Judgement>;

/// What is looked at: two of the models, how many favourites, and a task.
struct JudgedLook {
  Judged judged;            // null: there is no comparison
  std::size_t a = 0, b = 0; // of ModelEvaluation::models
  std::size_t k = 0;        // a place in ModelEvaluation::ks
  int task = -1;            // of ModelEvaluation::tasks; -1: none
};
/// Whether nothing but the task is another one.
bool isSameBesidesTask(const JudgedLook& look, const JudgedLook& other);
/// At a new comparison: the models that were looked at before, as far as it has them, and the task
/// that the first of them is worst on.
JudgedLook lookAt(const Judged& judged, const JudgedLook& before);

/// In the order in which models are shown: random, those that were asked for, oracle.
std::vector<std::size_t> shownOrder(const ModelEvaluation& evaluation);
/// "mlp.nwm", "session 2 of resnet18", "random".
QString modelTitle(const std::string& model);
/// What the model learned from, as far as it concerns the tested tasks.
QString knownText(const ModelEvaluation& evaluation, std::size_t model);
/// "0.812 (0.713 … 0.904)"; without bounds where there are none.
QString boundedText(const BoundedFigure& figure);
/// Whether there is an interval, and 0 is not in it.
bool isClear(const BoundedFigure& difference);

} // namespace nestwright::ui
