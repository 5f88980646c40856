#pragma once
/// \file A scheduler's choice in words, with the numbers that the scheduler used.

#include "core/session/run/events.h"
#include "core/session/schedule/objective.h"

#include <QString>

#include <functional>

namespace nestwright::ui {

class Document;

/// How a text calls a task: "T7", with its name "T7 Conv 3x3 …", or by its name alone.
struct TaskNames {
  std::function<QString(RowId)> shortName, longName, title;
};

/// As the document's tasks are called now; may be used on another thread.
TaskNames taskNames(const Document& document);
/// "Round 12 gave its trials to T7 Conv 3x3 …".
QString choiceTitle(const TaskChosen& choice, const TaskNames& names);
/// Why, in a few sentences.
QString choiceText(const TaskChosen& choice, const TaskNames& names, ObjectiveKind objective);
/// Why the round measures fewer programs than a round may, in a sentence; empty where it does not.
QString sizeText(const TaskChosen& choice);
/// An amount of the objective: a time, or for f3 a part of the mean speed-up.
QString gainText(double gain, ObjectiveKind objective);
/// The term of the potential, what the task could gain beside its slope: the smaller of the two.
bool potentialIsSimilar(const GradientTerms& terms);

} // namespace nestwright::ui
