#include "ui/document/choice_text.h"

#include "core/record/rows/task_row.h"
#include "core/support/units.h"
#include "ui/document/document.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QStringList>

#include <algorithm>
#include <cmath>
#include <utility>

namespace nestwright::ui {
namespace {

const GradientTerms* termsOf(const TaskChosen& choice, RowId task) {
  const auto found = std::ranges::find(choice.terms, task, &GradientTerms::task);
  return found == choice.terms.end() ? nullptr : &*found;
}

/// The term of the potential, what the task could gain beside its slope: the smaller of the two.
bool potentialIsSimilar(const GradientTerms& terms) {
  return std::isfinite(terms.similar) && terms.similar < terms.optimistic;
}

QString potentialSentence(const GradientTerms& t, const TaskNames& names) {
  if (potentialIsSimilar(t))
    return t.similarTask == 0
               ? tr("Potential from a similar task: at its rate this one would be %1 faster.")
                     .arg(timeText(-t.similar))
               : tr("Potential from similar task %1: at its rate this one would be %2 faster.")
                     .arg(names.shortName(t.similarTask), timeText(-t.similar));
  return tr("Potential of its own: %1 a round if it goes on as on average so far.")
      .arg(timeText(-t.optimistic));
}

QString slopeSentence(const GradientTerms& t) {
  if (t.backward < 0)
    return tr("Its last rounds made it %1 faster each.").arg(timeText(-t.backward));
  if (t.stagnantRounds > 1) return tr("Its last %1 rounds gained nothing.").arg(t.stagnantRounds);
  return t.stagnantRounds == 1 ? tr("Its last round gained nothing.") : QString();
}

QString chainSentence(const GradientTerms& t, ObjectiveKind objective) {
  if (objective == ObjectiveKind::SpeedUp) return {};
  QString text =
      tr("Each second it saves takes %1 s off the objective").arg(QString::number(t.chain, 'g', 4));
  if (t.importance != 1)
    text += tr(", your importance of %1× included").arg(QString::number(t.importance, 'g', 4));
  return text + QLatin1Char('.');
}

} // namespace

QString gainText(double gain, ObjectiveKind objective) {
  if (objective == ObjectiveKind::SpeedUp)
    return QString::number(gain, 'g', 3) + QStringLiteral("×");
  return qs(formatDifference(gain));
}

TaskNames::TaskNames(std::vector<Task> tasks) {
  std::ranges::sort(tasks, {}, &Task::id);
  tasks_ = std::make_shared<const std::vector<Task>>(std::move(tasks));
}

const TaskNames::Task* TaskNames::find(RowId task) const {
  const auto found = std::ranges::lower_bound(*tasks_, task, {}, &Task::id);
  return found == tasks_->end() || found->id != task ? nullptr : &*found;
}

QString TaskNames::shortName(RowId task) const {
  const Task* known = find(task);
  return known ? QStringLiteral("T%1").arg(known->index) : tr("task %1").arg(task);
}

QString TaskNames::longName(RowId task) const {
  const Task* known = find(task);
  return known ? shortName(task) + QLatin1Char(' ') + taskTitle(known->name) : shortName(task);
}

QString TaskNames::title(RowId task) const {
  const Task* known = find(task);
  return known ? taskTitle(known->name) : shortName(task);
}

TaskNames taskNames(const Document& document) {
  std::vector<TaskNames::Task> tasks;
  tasks.reserve(document.session().tasks().size());
  for (const TaskEntry& task : document.session().tasks())
    tasks.push_back({task.row.id, task.row.index, task.row.name});
  return TaskNames(std::move(tasks));
}

QString sizeText(const TaskChosen& choice) {
  if (choice.whyFewer.empty()) return {};
  return countedText(choice.trials, tr("It may measure one program only: %1."),
                     tr("It may measure only %1 programs: %2."))
      .arg(qs(choice.whyFewer));
}

QString choiceTitle(const TaskChosen& choice, const TaskNames& names) {
  return tr("Round %1 picked %2").arg(countText(choice.round), names.longName(choice.task));
}

QString choiceText(const TaskChosen& choice, const TaskNames& names, ObjectiveKind objective) {
  const GradientTerms* chosen = termsOf(choice, choice.task);
  QStringList sentences;
  if (!choice.byGradient || !chosen) {
    sentences = {sentenceOf(choice.reason), sizeText(choice)};
    sentences.removeAll(QString());
    return sentences.join(QLatin1Char(' '));
  }
  if (choice.amongPinned) sentences.append(tr("Among the pinned tasks."));
  const GradientTerms* second = nullptr;
  for (const GradientTerms& t : choice.terms)
    if (t.task != choice.task && t.gradient < 0 && (!second || t.gradient < second->gradient))
      second = &t;
  QString first = tr("Largest promised gain: %1 of the objective in its next round")
                      .arg(gainText(-chosen->gradient, objective));
  if (second)
    first += tr("; next is %1 with %2")
                 .arg(names.shortName(second->task), gainText(-second->gradient, objective));
  sentences.append(first + QLatin1Char('.'));
  sentences.append(potentialSentence(*chosen, names));
  sentences.append(slopeSentence(*chosen));
  sentences.append(chainSentence(*chosen, objective));
  sentences.append(sizeText(choice));
  sentences.removeAll(QString());
  return sentences.join(QLatin1Char(' '));
}

} // namespace nestwright::ui
