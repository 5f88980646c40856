#pragma once
/// \file The notes of a document: read on a thread of their own, changed with undo.

#include "core/record/store/notes.h"
#include "ui/kit/background.h"
#include "ui/kit/work_queue.h"

#include <QObject>
#include <QString>

namespace nestwright::ui {

class Document;

class NoteBook : public QObject {
  Q_OBJECT
 public:
  explicit NoteBook(Document& document);
  const Notes& all() const { return notes_; }
  /// An empty one where there is none.
  Note note(const NoteKey& key) const;
  /// Changes a note at once, and in the file behind it. Can be undone; what is typed in one go is
  /// one change.
  void set(const NoteKey& key, const Note& note);

 Q_SIGNALS:
  void changed();
  void failed(const QString& why);

 private:
  void read();
  void apply(const NoteKey& key, const Note& note);

  Document& document_;
  Notes notes_;
  Background reading_;
  WorkQueue writing_;
};

/// "★ " of a starred thing, "✎ " of one that only has a note; empty without one. Before its name.
QString noteSign(const Note& note);
/// "★ the tile fits L1": for a tool-tip or a label; empty without a note.
QString noteText(const Note& note);

} // namespace nestwright::ui
