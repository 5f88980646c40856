#include "ui/lab/training_curves.h"

#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace nestwright::ui {
namespace {

/// More points than this are not seen apart, and take time to draw.
constexpr std::size_t kMostPoints = 600;

/// The places of a curve that are drawn: evenly, the last one with them.
std::vector<std::size_t> drawnPlaces(std::size_t count) {
  std::vector<std::size_t> places;
  const std::size_t step = std::max<std::size_t>(1, (count + kMostPoints - 1) / kMostPoints);
  for (std::size_t i = 0; i < count; i += step)
    places.push_back(i);
  if (count > 0 && places.back() + 1 != count) places.push_back(count - 1);
  return places;
}

PlotSeries seriesOf(const Training& training, double EpochResult::*figure, double unit,
                    Qt::PenStyle style, const QString& name) {
  PlotSeries series;
  series.name = name;
  series.colour = training.colour % int(colours().series.size());
  series.style = style;
  for (const std::size_t place : drawnPlaces(training.course.curve.size())) {
    const EpochResult& result = training.course.curve[place];
    series.x.push_back(result.epoch);
    series.y.push_back(result.*figure / unit);
  }
  return series;
}

bool isDrawn(const Training& training) {
  return training.shown && !training.course.curve.empty();
}

/// Whether those that are drawn make small different things.
bool differInLoss(const std::vector<Training>& trainings) {
  std::set<std::string> losses;
  for (const Training& training : trainings)
    if (isDrawn(training)) losses.insert(training.wish.loss);
  return losses.size() > 1;
}

const EpochResult* resultAt(const Training& training, double epoch) {
  for (const EpochResult& result : training.course.curve)
    if (result.epoch == int(epoch)) return &result;
  return nullptr;
}

/// The one whose passes can be looked at; null where it is not drawn.
const Training* walkedOf(const std::vector<Training>& trainings, int chosen) {
  if (chosen < 0 || chosen >= std::ssize(trainings)) return nullptr;
  const Training& training = trainings[std::size_t(chosen)];
  return isDrawn(training) ? &training : nullptr;
}

SeriesScene sceneOf(const std::vector<Training>& trainings, int chosen, double marked) {
  SeriesScene scene;
  scene.xLabel = tr("epoch");
  scene.xTip = tr("Passes over the programs that are learned from; of trees their number.");
  scene.marked = marked;
  if (const Training* walked = walkedOf(trainings, chosen))
    for (const EpochResult& result : walked->course.curve)
      scene.stops.push_back(result.epoch);
  return scene;
}

/// Without axes, which would have nothing on them.
void sayInstead(SeriesScene& scene, const QString& message) {
  scene.message = message;
  scene.xLabel.clear();
  scene.yLabel.clear();
}

} // namespace

SeriesScene lossScene(const std::vector<Training>& trainings, int chosen, double marked) {
  SeriesScene scene = sceneOf(trainings, chosen, marked);
  const bool asShares = differInLoss(trainings);
  scene.yLabel = asShares ? tr("loss, share of the first") : tr("loss");
  scene.yTip = asShares
                   ? tr("The losses are of different names and do not compare: each is divided "
                        "by its training loss after the first pass. Lower is better. Dashed: "
                        "programs that are learned from; solid: those to validate with.")
                   : tr("What the training makes small. Lower is better. Dashed: programs that "
                        "are learned from; solid: those to validate with.");
  for (const Training& training : trainings) {
    if (!isDrawn(training)) continue;
    const double first = training.course.curve.front().trainingLoss;
    const double unit = asShares && first > 0 ? first : 1;
    const bool validated = hasValidation(training);
    scene.series.push_back(seriesOf(training, &EpochResult::trainingLoss, unit, Qt::DashLine,
                                    validated ? QString() : titleOf(training)));
    if (validated)
      scene.series.push_back(
          seriesOf(training, &EpochResult::validationLoss, unit, Qt::SolidLine, titleOf(training)));
  }
  if (scene.series.empty()) sayInstead(scene, tr("No pass is done yet, or none is drawn."));
  const Training* walked = walkedOf(trainings, chosen);
  if (!walked) return scene;
  scene.describe = [training = *walked](double epoch) {
    const EpochResult* result = resultAt(training, epoch);
    if (!result) return QString();
    QString text = tr("%1, epoch %2\nLoss %3")
                       .arg(titleOf(training))
                       .arg(result->epoch)
                       .arg(result->trainingLoss, 0, 'g', 4);
    if (hasValidation(training))
      text += tr(", validation %1").arg(result->validationLoss, 0, 'g', 4);
    return text;
  };
  return scene;
}

SeriesScene scoreScene(const std::vector<Training>& trainings, int chosen, double marked) {
  SeriesScene scene = sceneOf(trainings, chosen, marked);
  scene.yLabel = tr("validation top-k");
  scene.yTip =
      tr("The best time of a task by that of the model's favourite (solid) and of the best "
         "of its five favourites (dashed), the mean of the validation's tasks. Higher is "
         "better; 1 is the best there is.");
  for (const Training& training : trainings) {
    if (!isDrawn(training) || !hasValidation(training)) continue;
    scene.series.push_back(seriesOf(training, &EpochResult::top5, 1, Qt::DashLine, {}));
    scene.series.push_back(
        seriesOf(training, &EpochResult::top1, 1, Qt::SolidLine, titleOf(training)));
  }
  if (scene.series.empty())
    sayInstead(scene,
               std::ranges::any_of(trainings, isDrawn)
                   ? tr("Trees are judged at the end alone,\nnetworks after each epoch where "
                        "there are\nprograms to validate with.")
                   : tr("No pass is done yet, or none is drawn."));
  const Training* walked = walkedOf(trainings, chosen);
  if (!walked) return scene;
  scene.describe = [training = *walked](double epoch) {
    const EpochResult* result = resultAt(training, epoch);
    if (!result || !hasValidation(training)) return QString();
    return tr("%1, epoch %2\nTop-1 %3, top-5 %4")
        .arg(titleOf(training))
        .arg(result->epoch)
        .arg(figureText(result->top1), figureText(result->top5));
  };
  return scene;
}

ExportTable curveTable(const std::vector<Training>& trainings) {
  std::vector<QStringList> rows;
  const auto number = [](double value) { return QString::number(value, 'g', 6); };
  for (const Training& training : trainings) {
    if (!isDrawn(training)) continue;
    const bool validated = hasValidation(training);
    const auto ifValidated = [&](double value) { return validated ? number(value) : QString(); };
    for (const EpochResult& result : training.course.curve)
      rows.push_back({titleOf(training), QString::number(result.epoch), number(result.trainingLoss),
                      ifValidated(result.validationLoss), ifValidated(result.top1),
                      ifValidated(result.top5), number(result.seconds)});
  }
  return tableOfRows({tr("training"), tr("epoch"), tr("loss"), tr("validation loss"), tr("top-1"),
                      tr("top-5"), tr("time, s")},
                     std::move(rows));
}

} // namespace nestwright::ui
