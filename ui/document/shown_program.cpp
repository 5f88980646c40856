#include "ui/document/replayed_program.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/replay_mode.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/text.h"

namespace nestwright::ui {
ReplayedProgram replayedProgram(const Document& document, const ProgramRef& program) {
  ReplayedProgram then{program, {}, false};
  if (!document.replayMode().isOn() || program.file != document.file().path()) return then;
  if (const TaskEntry* task = document.session().task(program.task))
    then.best = task->summary.bestRecord;
  if (program.record == 0 && !program.naive && then.best) {
    // Before there was a best, what the task had was its naive program.
    then.ref.record = *then.best;
    then.ref.naive = *then.best == 0;
  }
  then.later = isLater(document, then.ref.record);
  return then;
}

ReplayedProgram selectedAsReplayed(const Document& document) {
  ProgramRef selected;
  selected.file = document.file().path();
  selected.task = document.selection().current().task;
  selected.record = document.selection().current().record;
  return replayedProgram(document, selected);
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
