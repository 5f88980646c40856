#pragma once
/// \file Starring what is selected, and the way to its note: for menus, keys and the palette.

#include <QAction>
#include <QObject>

namespace nestwright::ui {

class Actions;
class Document;

class NoteActions : public QObject {
  Q_OBJECT
 public:
  NoteActions(Document& document, Actions& actions, QObject* parent);

  /// Of the selected record, or else the selected task, or else the session.
  QAction *star, *write;
  QList<QAction*> actions() const { return {star, write}; }

 private:
  void refresh();
  void toggle(bool on);

  Document& document_;
};

} // namespace nestwright::ui
