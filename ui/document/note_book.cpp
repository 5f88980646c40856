#include "ui/document/note_book.h"

#include "ui/document/change.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/kit/text.h"

#include <QUndoStack>

namespace nestwright::ui {

NoteBook::NoteBook(Document& document) : document_(document) {
  connect(&document, &Document::stateChanged, this, &NoteBook::read);
}

void NoteBook::read() {
  if (document_.state() != DocumentState::Ready) {
    reading_.cancel();
    if (notes_.empty()) return;
    notes_.clear();
    Q_EMIT changed();
    return;
  }
  reading_.ask<Notes>(
      [path = document_.file().path().toStdString()](const Job&) { return readNotes(path); },
      [this](Notes notes) {
        notes_ = std::move(notes);
        Q_EMIT changed();
      },
      [this](const QString& why) { Q_EMIT failed(why); });
}

Note NoteBook::note(const NoteKey& key) const {
  const auto found = notes_.find(key);
  return found == notes_.end() ? Note() : found->second;
}

void NoteBook::set(const NoteKey& key, const Note& note) {
  const Note before = this->note(key);
  if (document_.state() != DocumentState::Ready || note == before) return;
  const QString subject = QStringLiteral("note/%1/%2").arg(static_cast<int>(key.about)).arg(key.id);
  document_.undoStack().push(new Change(
      note.star != before.star ? tr("star") : tr("note"), [=, this] { apply(key, note); },
      [=, this] { apply(key, before); }, subject));
}

void NoteBook::apply(const NoteKey& key, const Note& note) {
  reading_.cancel(); // what is being read is older
  if (note.empty())
    notes_.erase(key);
  else
    notes_[key] = note;
  writing_.run(
      this,
      [path = document_.file().path().toStdString(), key, note] { keepNote(path, key, note); },
      [this](const QString& error) {
        if (error.isEmpty()) return;
        Q_EMIT failed(error);
        read();
      });
  Q_EMIT changed();
}

QString noteSign(const Note& note) {
  return note.empty() ? QString() : note.star ? QStringLiteral("★ ") : QStringLiteral("✎ ");
}

QString noteText(const Note& note) {
  return (noteSign(note) + qs(note.text)).trimmed();
}

} // namespace nestwright::ui

#include "moc_note_book.cpp"
