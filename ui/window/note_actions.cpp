#include "ui/window/note_actions.h"

#include "ui/document/document.h"
#include "ui/document/note_book.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/window/actions.h"

namespace nestwright::ui {
namespace {

/// What a star or a note would be about.
NoteKey subjectOf(const Document& document) {
  const Selection& selection = document.selection().current();
  if (selection.record != 0) return {NoteAbout::Record, selection.record};
  if (selection.task != 0) return {NoteAbout::Task, selection.task};
  return {NoteAbout::Session, document.session().row().id};
}

} // namespace

NoteActions::NoteActions(Document& document, Actions& actions, QObject* parent)
    : QObject(parent), document_(document) {
  star =
      actions.add(tr("S&tar"), "", QKeySequence(Qt::CTRL | Qt::Key_D),
                  tr("Mark the selected record, or else the task or the session, as worth coming "
                     "back to: in tables, on charts and in the journal."));
  star->setCheckable(true);
  write = actions.add(tr("Write a &Note"), "", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_M),
                      tr("Write about the selected record, or else the task or the session."));
  connect(star, &QAction::triggered, this, &NoteActions::toggle);
  connect(&document.notes(), &NoteBook::changed, this, &NoteActions::refresh);
  connect(&document.selection(), &SharedSelection::changed, this, &NoteActions::refresh);
  connect(&document, &Document::stateChanged, this, &NoteActions::refresh);
  refresh();
}

void NoteActions::refresh() {
  const bool ready = document_.state() == DocumentState::Ready;
  for (QAction* action : actions())
    enableUnless(action, document_.whyNotReady());
  star->setChecked(ready && document_.notes().note(subjectOf(document_)).star);
}

void NoteActions::toggle(bool on) {
  const NoteKey key = subjectOf(document_);
  Note note = document_.notes().note(key);
  note.star = on;
  if (key.about == NoteAbout::Record) note.task = document_.selection().current().task;
  document_.notes().set(key, note.empty() ? Note() : note);
  refresh();
}

} // namespace nestwright::ui

#include "moc_note_actions.cpp"
