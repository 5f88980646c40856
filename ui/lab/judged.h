#pragma once
/// \file A comparison of models as the pages of its view share it, and how its parts are called.

#include "core/story/model_ranking.h"

#include <QColor>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace nestwright::ui {

using Judged = std::shared_ptr<const Judgement>;

bool isYardstick(const std::string& model);
/// In the order in which models are shown: random, those that were asked for, oracle.
std::vector<std::size_t> shownOrder(const ModelEvaluation& evaluation);
/// "mlp.nwm", "session 2 of resnet18", "random".
QString modelTitle(const std::string& model);
/// Of the theme's series, by the place among the models; neutral for yardsticks.
QColor modelColour(const ModelEvaluation& evaluation, std::size_t model);
/// What the model learned from, as far as it concerns the tested tasks.
QString knownText(const ModelEvaluation& evaluation, std::size_t model);
/// "0.812"
QString figureText(double value);
/// "0.812 (0.713 … 0.904)"; without bounds where there are none.
QString boundedText(const BoundedFigure& figure);
/// Whether there is an interval, and 0 is not in it.
bool isClear(const BoundedFigure& difference);

} // namespace nestwright::ui
