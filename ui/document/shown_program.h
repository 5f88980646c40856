#pragma once
/// \file Programs as they were at the document's moment, which in a replay is one of the past: then
/// another one was a task's best, and some had not been measured yet.

#include "ui/document/program_ref.h"

#include <optional>

namespace nestwright::ui {

class Document;

struct ReplayedProgram {
  ProgramRef ref;            // of the best then, where a task's best is meant
  std::optional<RowId> best; // record of the task's best then; nothing: what the file says now
  bool later = false;        // it was not measured yet
  /// Whether the program is shown in the same way.
  friend bool operator==(const ReplayedProgram& a, const ReplayedProgram& b) {
    return a.ref == b.ref && a.later == b.later &&
           (a.best == a.ref.record) == (b.best == b.ref.record);
  }
};
ReplayedProgram replayedProgram(const Document& document, const ProgramRef& program);
/// The selected one.
ReplayedProgram selectedAsReplayed(const Document& document);

/// Whether it was measured only after the document's moment.
bool isLater(const Document& document, RowId record);
/// Says so of the record, and what to do to see it.
QString laterTitle(RowId record);
QString laterText();

} // namespace nestwright::ui
