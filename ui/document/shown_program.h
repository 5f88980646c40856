#pragma once
/// \file Programs as the document shows them: in a replay, as they were at its moment, when another
/// one was a task's best and some had not been measured yet; in the scope of a session, its own.

#include "ui/document/program_ref.h"

#include <optional>

namespace nestwright::ui {

class Document;

struct ShownProgram {
  ProgramRef ref;            // of the best that is shown, where a task's best is meant
  std::optional<RowId> best; // record of the task's best as shown; nothing: what the file says
  bool later = false;        // it was not measured yet
  /// Whether the program is shown in the same way.
  friend bool operator==(const ShownProgram& a, const ShownProgram& b) {
    return a.ref == b.ref && a.later == b.later &&
           (a.best == a.ref.record) == (b.best == b.ref.record);
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
