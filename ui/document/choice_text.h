#pragma once
/// \file A scheduler's choice in words, with the numbers that the scheduler used.

#include "core/session/run/events.h"
#include "core/session/schedule/objective.h"

#include <QString>

#include <memory>
#include <string>
#include <vector>

namespace nestwright::ui {

class Document;

/// How texts call tasks.
class TaskNames {
 public:
  struct Task {
    RowId id = 0;
    int index = 0;
    std::string name;
  };
  explicit TaskNames(std::vector<Task> tasks = {});

  /// "T7"
  QString shortName(RowId task) const;
  /// "T7 Conv 3x3 …"
  QString longName(RowId task) const;
  /// "Conv 3x3 …"
  QString title(RowId task) const;

 private:
  /// Null for one that is not known.
  const Task* find(RowId task) const;

  // By identifier. Shared: copies go to other threads.
  std::shared_ptr<const std::vector<Task>> tasks_;
};

/// As the document's tasks are called now.
TaskNames taskNames(const Document& document);
/// "Round 12 gave its trials to T7 Conv 3x3 …".
QString choiceTitle(const TaskChosen& choice, const TaskNames& names);
/// Why, in a few sentences.
QString choiceText(const TaskChosen& choice, const TaskNames& names, ObjectiveKind objective);
/// Why the round measures fewer programs than a round may, in a sentence; empty where it does not.
QString sizeText(const TaskChosen& choice);
/// An amount of the objective: a time, or for f3 a part of the mean speed-up.
QString gainText(double gain, ObjectiveKind objective);

} // namespace nestwright::ui
