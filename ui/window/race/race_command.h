#pragma once
/// \file The command that makes a race in the document, which the view of races then shows.

#include <QObject>

class QAction;
class QWidget;

namespace nestwright::ui {

class Actions;
class Document;
class RaceView;

class RaceCommand : public QObject {
  Q_OBJECT
 public:
  /// Dialogs belong to `window`.
  RaceCommand(Document& document, Actions& actions, RaceView& view, QWidget* window);

  QAction* action() const { return action_; }

 Q_SIGNALS:
  /// A race begins: the view is to be seen.
  void begun();

 private:
  void ask();

  Document& document_;
  RaceView& view_;
  QWidget* window_;
  QAction* action_;
};

} // namespace nestwright::ui
