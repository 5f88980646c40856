#pragma once
/// \file The command that writes what a session came to as one HTML file: its figures, curves and
/// tasks, the time that each was given, and the comparison with another session where one is shown.

#include "ui/window/report/report.h"

#include <QObject>

class QAction;
class QWidget;

namespace nestwright::ui {

class Actions;
class Document;
class PanelHost;

class ReportCommand : public QObject {
  Q_OBJECT
 public:
  /// Dialogs belong to `window`.
  ReportCommand(Document& document, PanelHost& host, Actions& actions, QWidget* window);

  QAction* action() const { return action_; }
  /// Of the session that is shown, as it is now.
  Report report() const;
  /// Says in the status line that it was written, or in a notice why not.
  void write(const QString& file);

 Q_SIGNALS:
  void told(const QString& text);

 private:
  void ask();

  Document& document_;
  PanelHost& host_;
  QWidget* window_;
  QAction* action_;
};

} // namespace nestwright::ui
