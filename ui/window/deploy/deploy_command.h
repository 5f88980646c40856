#pragma once
/// \file The command that writes what was tuned as a library for applications.

#include <QObject>

class QAction;
class QWidget;

namespace nestwright::ui {

class Actions;
class Document;

class DeployCommand : public QObject {
  Q_OBJECT
 public:
  /// Dialogs belong to `window`.
  DeployCommand(Document& document, Actions& actions, QWidget* window);

  QAction* action() const { return action_; }

 private:
  QString obstacle() const;
  void ask();

  Document& document_;
  QWidget* window_;
  QAction* action_;
};

} // namespace nestwright::ui
