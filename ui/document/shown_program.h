#pragma once
/// \file Programs as the document shows them: in a replay, as they were at its moment, when another
/// one was a task's best and some had not been measured yet; in the scope of a session, its own.

#include "core/record/rows/task_row.h"
#include "ui/document/program_ref.h"

#include <optional>

namespace nestwright::ui {

class Document;

struct ShownProgram {
  ProgramRef ref;                  // of the best that is shown, where a task's best is meant
  std::optional<TaskSummary> task; // of its task as shown; nothing: what the file says
  bool later = false;              // it was not measured yet
  bool isBest() const { return task && task->bestRecord == ref.record; }
  /// Whether the program is shown in the same way.
  friend bool operator==(const ShownProgram& a, const ShownProgram& b) {
    const auto naive = [](const ShownProgram& of) { return of.task ? of.task->naiveSeconds : -1; };
    return a.ref == b.ref && a.later == b.later && a.isBest() == b.isBest() && naive(a) == naive(b);
  }
};
ShownProgram shownProgram(const Document& document, const ProgramRef& program);
/// The selected one.
ShownProgram selectedAsShown(const Document& document);

/// Whether it was measured only after the document's moment.
bool isLater(const Document& document, RowId record);
/// Says so of the record, and what to do to see it.
QString laterTitle(RowId record);
QString laterText();

} // namespace nestwright::ui
