#include "ui/lab/training_words.h"

#include "core/feature/program_features.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <cmath>

namespace nestwright::ui {
namespace {

/// What its parts are, as far as it is known.
QString partsText(const TrainingCourse& course) {
  if (course.data) {
    const DataSurvey& data = *course.data;
    QString text = tr("%1 of %2 to learn from, %3 to validate with")
                       .arg(programsText(data.train.programs), tasksText(data.train.tasks),
                            countText(data.validation.programs));
    return data.test.programs > 0
               ? tr("%1, %2 of %3 to test on.")
                     .arg(text, countText(data.test.programs), tasksText(data.test.tasks))
               : tr("%1, none to test on.").arg(text);
  }
  if (!course.model || course.model->programs == 0) return {};
  return tr("Learned from %1 of %2, validated with %3.")
      .arg(programsText(course.model->programs), tasksText(course.model->tasks.size()),
           countText(course.model->validated));
}

QString partFiguresText(const QString& part, const std::optional<PartFigures>& figures) {
  if (!figures) return {};
  return tr("%1: top-1 %2, top-5 %3, %4 of the pairs in order (%5 of %6).")
      .arg(part, figureText(figures->top1), figureText(figures->top5),
           percentText(figures->pairwiseAccuracy), programsText(figures->programs),
           tasksText(figures->tasks));
}

/// What its options differ in from the published ones.
QString changesText(const ModelWish& wish) {
  QStringList changes;
  for (const auto& [name, value] : wish.options.items())
    changes << QStringLiteral("%1 %2").arg(
        qs(name), value.is_string() ? qs(value.get<std::string>()) : qs(value.dump()));
  if (!wish.startFrom.empty()) changes << tr("going on from %1").arg(qs(wish.startFrom));
  if (wish.fineTune) changes << tr("fine-tuned");
  if (wish.data.features == kFittedSteps) changes << tr("steps fitted to the data");
  if (wish.targetRecords > 0)
    changes
        << tr("%1 of its own target's programs with a label").arg(countText(wish.targetRecords));
  return changes.isEmpty() ? QString()
                           : tr("Not as published: %1.").arg(changes.join(QStringLiteral(", ")));
}

/// How fast it learns, while it does.
QString rateText(const Training& training) {
  const TrainingCourse& course = training.course;
  const double rate = course.progress.programsPerSecond;
  if (course.state != TrainingState::Running || course.phase != TrainingPhase::Training ||
      !(rate > 0))
    return {};
  const EpochResult* last = course.curve.empty() ? nullptr : &course.curve.back();
  const QString learns = tr("Learns from %1 programs/s.").arg(countText(std::llround(rate)));
  return last && hasValidation(training)
             ? tr("%1 After epoch %2: loss %3, validation %4, top-1 %5, top-5 %6.")
                   .arg(learns)
                   .arg(last->epoch)
                   .arg(figureText(last->trainingLoss), figureText(last->validationLoss),
                        figureText(last->top1), figureText(last->top5))
             : learns;
}

} // namespace

QString goingOnText(const Training& training) {
  if (training.course.state != TrainingState::Stopped &&
      training.course.state != TrainingState::Failed)
    return {};
  if (training.course.kept)
    return tr("Resume goes on after epoch %1, and ends in the network in which it would have "
              "ended.")
        .arg(training.course.curve.size());
  if (training.course.state != TrainingState::Stopped) return {};
  return isNetwork(training.wish.model)
             ? tr("No epoch was done: there is nothing to go on from.")
             : tr("Trees keep nothing of a training under way: it begins anew.");
}

QStringList trainingLines(const Training& training) {
  const TrainingCourse& course = training.course;
  QStringList lines;
  if (!course.problem.empty()) lines << QStringLiteral("✗ ") + qs(course.problem);
  if (course.state == TrainingState::Elsewhere)
    lines << tr("It is trained by %1.").arg(qs(course.trainer));
  lines << goingOnText(training) << rateText(training);
  if (course.model)
    lines << partFiguresText(tr("Test"), course.model->test)
          << partFiguresText(tr("Validation"), course.model->validation);
  for (const std::string& warning : course.warnings)
    lines << QStringLiteral("⚠ ") + qs(warning);
  lines << partsText(course) << changesText(training.wish);
  if (isUnderWay(training) && training.yields)
    lines << tr("A session is running: until that ends the training has one thread.");
  lines.removeAll(QString());
  return lines;
}

} // namespace nestwright::ui
