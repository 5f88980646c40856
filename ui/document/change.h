#pragma once
/// \file One change that can be undone: what the Edit menu names, how to do it and how to take it
/// back. Push it on `Document::undoStack()`, which does it.

#include <QElapsedTimer>
#include <QString>
#include <QUndoCommand>

#include <functional>

namespace nestwright::ui {

class Change : public QUndoCommand {
 public:
  /// `text` follows "Undo": "weight of conv 3x3". Changes of one `subject` ("importance/3") that
  /// follow one another within a second, as from a slider, become one; an empty one never does.
  Change(const QString& text, std::function<void()> redo, std::function<void()> undo,
         QString subject = {});

  void redo() override { redo_(); }
  void undo() override { undo_(); }
  int id() const override { return subject_.isEmpty() ? -1 : 1; }
  bool mergeWith(const QUndoCommand* later) override;

 private:
  std::function<void()> redo_, undo_;
  QString subject_;
  QElapsedTimer since_;
};

} // namespace nestwright::ui
