#include "ui/document/shown_program.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/text.h"

namespace nestwright::ui {

ShownProgram shownProgram(const Document& document, const ProgramRef& program) {
  ShownProgram shown{program, {}, false};
  if (program.file != document.file().path()) return shown;
  if (const TaskEntry* task = document.session().task(program.task)) shown.task = task->summary;
  if (program.record == 0 && !program.naive && shown.task) {
    // Without a best what the task has is its naive program.
    shown.ref.record = shown.task->bestRecord;
    shown.ref.naive = shown.ref.record == 0;
  }
  // A best is known, whatever its number: an earlier session may have gone on after this one.
  shown.later = !shown.isBest() && isLater(document, shown.ref.record);
  return shown;
}

ShownProgram selectedAsShown(const Document& document) {
  ProgramRef selected;
  selected.file = document.file().path();
  selected.task = document.selection().current().task;
  selected.record = document.selection().current().record;
  return shownProgram(document, selected);
}

bool isLater(const Document& document, RowId record) {
  return record > document.replayMode().newestRecord();
}

QString laterTitle(RowId record) {
  return tr("Record %1 is not measured yet").arg(record);
}

QString laterText() {
  return tr("It was measured after the moment that the replay shows. Go on to see it.");
}

} // namespace nestwright::ui
