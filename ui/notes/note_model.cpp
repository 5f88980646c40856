#include "ui/notes/note_model.h"

#include "core/record/rows/session_row.h"
#include "ui/document/document.h"
#include "ui/document/note_book.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

namespace nestwright::ui {

QString aboutText(const Document& document, const NoteKey& key) {
  switch (key.about) {
  case NoteAbout::Session:
    for (const SessionRow& session : document.session().contents().sessions)
      if (session.id == key.id)
        return NoteModel::tr("session %1 · %2")
            .arg(qs(session.title), momentText(session.createdAt));
    return NoteModel::tr("session %1").arg(key.id);
  case NoteAbout::Task:
    if (const TaskEntry* task = document.session().task(key.id)) return taskTitle(task->row.name);
    return NoteModel::tr("task %1 of another session").arg(key.id);
  case NoteAbout::Record:
    return NoteModel::tr("record %1").arg(key.id);
  }
  return {};
}

NoteModel::NoteModel(Document& document, QObject* parent)
    : TableModel(parent), document_(document) {
  setColumns(columns(), Titles::Centred);
  connect(&document.notes(), &NoteBook::changed, this, &NoteModel::reload);
  connect(&document, &Document::stateChanged, this, &NoteModel::reload);
  reload();
}

void NoteModel::reload() {
  setRows({document_.notes().all().begin(), document_.notes().all().end()});
}

int NoteModel::rowOf(const NoteKey& key) const {
  return firstRow([&](const Row& row) { return row.first == key; });
}

NoteModel::Columns NoteModel::columns() const {
  return {
      {.title = tr("★"),
       .tip = tr("Starred: worth coming back to."),
       .text = [](const Row& row) { return row.second.star ? QStringLiteral("★") : QString(); },
       .align = Qt::AlignCenter},
      {.title = tr("About"),
       .tip = tr("The session, task or record that the note is about; a click selects it in all "
                 "views."),
       .text = [this](const Row& row) { return aboutText(document_, row.first); },
       .align = {}},
      {.title = tr("Note"),
       .tip = tr("What was written down."),
       .text = [](const Row& row) { return qs(row.second.text).simplified(); },
       .bare = [](const Row& row) { return qs(row.second.text); }}};
}

QVariant NoteModel::rowData(const Row& row, int role) const {
  return role == Qt::ToolTipRole ? QVariant(qs(row.second.text)) : QVariant();
}

} // namespace nestwright::ui

#include "moc_note_model.cpp"
