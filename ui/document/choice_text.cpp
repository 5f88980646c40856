#include "ui/document/choice_text.h"

#include "core/record/rows/task_row.h"
#include "ui/document/document.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

const GradientTerms* termsOf(const TaskChosen& choice, RowId task) {
  const auto found = std::ranges::find(choice.terms, task, &GradientTerms::task);
  return found == choice.terms.end() ? nullptr : &*found;
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

bool potentialIsSimilar(const GradientTerms& terms) {
  return std::isfinite(terms.similar) && terms.similar < terms.optimistic;
}

QString gainText(double gain, ObjectiveKind objective) {
  if (objective == ObjectiveKind::SpeedUp)
    return QString::number(gain, 'g', 3) + QStringLiteral("×");
  if (std::abs(gain) < 1e-12) return QStringLiteral("0"); // of differences of times
  return gain < 0 ? QStringLiteral("−") + timeText(-gain) : timeText(gain);
}

TaskNames taskNames(const Document& document) {
  const auto called = [&document](RowId id, auto words) {
    const TaskEntry* task = document.session().task(id);
    return task ? words(task->row) : tr("a task");
  };
  const auto number = [](const TaskRow& row) { return QStringLiteral("T%1").arg(row.index); };
  const auto full = [number](const TaskRow& row) {
    return number(row) + QLatin1Char(' ') + taskTitle(row.name);
  };
  return {[=](RowId id) { return called(id, number); }, [=](RowId id) { return called(id, full); }};
}

QString choiceTitle(const TaskChosen& choice, const TaskNames& names) {
  return tr("Round %1 picked %2").arg(countText(choice.round), names.longName(choice.task));
}

QString choiceText(const TaskChosen& choice, const TaskNames& names, ObjectiveKind objective) {
  const GradientTerms* chosen = termsOf(choice, choice.task);
  if (!choice.byGradient || !chosen) return sentenceOf(choice.reason);
  QStringList sentences;
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
  sentences.removeAll(QString());
  return sentences.join(QLatin1Char(' '));
}

} // namespace nestwright::ui
