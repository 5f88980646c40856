#include "ui/lab/data_words.h"

#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QStringList>

namespace nestwright::ui {
namespace {

QString ofTasks(const PartSize& part) {
  return tr("%1 of %2").arg(programsText(part.programs), tasksText(part.tasks));
}

} // namespace

QString verdictText(const DataStory& story) {
  if (!story.unreadable.empty()) return tr("✗ Nothing to train on: %1").arg(qs(story.unreadable));
  if (!story.problem.empty()) return tr("✗ Not to be trained on: %1").arg(qs(story.problem));
  const QString tested =
      story.choice.split == SplitKind::None
          ? tr(" Nothing is kept to test on, so that nobody will know how good a model is on "
               "tasks that it never saw.")
          : QString();
  return tr("✓ Can be trained on: no task and no program stands where it should not.") + tested;
}

QString contentsText(const DataStory& story) {
  if (!story.unreadable.empty()) return {};
  const DataSurvey& survey = story.survey;
  QStringList texts{tr("%1, %2 failed.").arg(ofTasks(survey.all), countText(survey.all.failed))};
  if (survey.median > 0)
    texts << tr("Times from %1 to %2, median %3.")
                 .arg(timeText(survey.best), timeText(survey.worst), timeText(survey.median));
  texts << tr("Learned from: %1.").arg(ofTasks(survey.train));
  if (survey.validation.programs > 0)
    texts << tr("Validated with: %1.").arg(ofTasks(survey.validation));
  if (story.choice.split != SplitKind::None)
    texts << tr("Tested on: %1.").arg(ofTasks(survey.test));
  if (story.targets.size() == 1) texts << tr("Target: %1.").arg(qs(story.targets.front().text));
  for (std::size_t i = 0; story.targets.size() > 1 && i < story.targets.size(); ++i)
    texts << tr("On %1: %2.").arg(qs(story.targets[i].text), ofTasks(survey.targets[i]));
  for (const HeldOutNetwork& network : survey.heldOut)
    texts << tr("Of %1 the records have %2 of %3.")
                 .arg(qs(network.name), countText(network.tasksFound), tasksText(network.tasks));
  return texts.join(QLatin1Char(' '));
}

QString leftOutText(const DataStory& story) {
  if (!story.unreadable.empty()) return {};
  QStringList texts;
  const auto add = [&](std::int64_t number, const QString& why) {
    if (number > 0) texts << why.arg(countText(number));
  };
  const DataIntake& intake = story.intake;
  add(intake.repeated, tr("%1 measure a program once more, whose times count together"));
  add(intake.neverTried, tr("%1 were cancelled"));
  add(intake.implausible, tr("%1 are faster than the machine can be"));
  add(intake.withoutDag, tr("%1 are of tasks whose definition nobody told"));
  add(intake.withoutProgram, tr("%1 are of templates that are not known here"));
  add(intake.failuresDropped, tr("%1 failed programs were dropped"));
  const auto addTasks = [&](std::size_t tasks, const QString& why) {
    if (tasks > 0) texts << tr("not learned from: %1 %2").arg(tasksText(tasks), why);
  };
  addTasks(story.tooFew, tr("with fewer than %1").arg(programsText(story.choice.leastPrograms)));
  addTasks(story.allFailed, tr("of which no program ran"));
  addTasks(story.notDrawn, tr("that the draw left out"));
  if (texts.isEmpty()) return {};
  return tr("Of %1 records: %2.").arg(countText(intake.records), texts.join(QStringLiteral("; ")));
}

QString leakText(const LeakCheck& leaks) {
  QStringList texts;
  const auto add = [&](const SharedBetween& both, const QString& parts) {
    if (both.tasks > 0 || both.programs > 0)
      texts << tr("%1 share %2 and %3")
                   .arg(parts, tasksText(both.tasks), programsText(both.programs));
  };
  add(leaks.trainTest, tr("training and test"));
  add(leaks.trainValidation, tr("training and validation"));
  add(leaks.validationTest, tr("validation and test"));
  return texts.isEmpty() ? QString() : texts.join(QStringLiteral("; ")) + QLatin1Char('.');
}

} // namespace nestwright::ui
