#include "ui/notes/note_model.h"

#include "ui/document/document.h"
#include "ui/document/note_book.h"
#include "ui/kit/exportable.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <algorithm>

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
    : QAbstractTableModel(parent), document_(document) {
  connect(&document.notes(), &NoteBook::changed, this, &NoteModel::reload);
  connect(&document, &Document::stateChanged, this, &NoteModel::reload);
  reload();
}

void NoteModel::reload() {
  beginResetModel();
  rows_.assign(document_.notes().all().begin(), document_.notes().all().end());
  endResetModel();
}

int NoteModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int NoteModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

int NoteModel::rowOf(const NoteKey& key) const {
  const auto found = std::ranges::find(rows_, key, &std::pair<NoteKey, Note>::first);
  return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

QVariant NoteModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const auto& [key, note] = rows_[static_cast<std::size_t>(index.row())];
  if (role == Qt::ToolTipRole) return qs(note.text);
  if (role == kExportRole && index.column() == Text) return qs(note.text);
  if (role == Qt::TextAlignmentRole && index.column() == Star) return Qt::AlignCenter;
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
  case Star:
    return note.star ? QStringLiteral("★") : QString();
  case About:
    return aboutText(document_, key);
  case Text:
    return qs(note.text).simplified();
  default:
    return {};
  }
}

QVariant NoteModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const bool text = role == Qt::DisplayRole;
  if (!text && role != Qt::ToolTipRole) return {};
  switch (section) {
  case Star:
    return text ? tr("★") : tr("Starred: worth coming back to.");
  case About:
    return text ? tr("About")
                : tr("The session, task or record that the note is about; a click "
                     "selects it in all views.");
  case Text:
    return text ? tr("Note") : tr("What was written down.");
  default:
    return {};
  }
}

} // namespace nestwright::ui
