#pragma once
/// \file Which program is shown, and what can be done with it whatever page is open: to be put
/// beside another one, and to be copied.

#include "ui/program/program_text.h"

#include <QWidget>

class QAction;
class QLabel;
class QMenu;
class QToolButton;

namespace nestwright::ui {

class Document;

class ProgramHead : public QWidget {
  Q_OBJECT
 public:
  explicit ProgramHead(Document& document, QWidget* parent = nullptr);

  void show(const ProgramText& program);
  /// There is none.
  void showNothing(const QString& title, const QString& why);

  /// What the window can do with the program, as a button before the others.
  void addCommand(QAction* command);

  /// Beside the task's best program; the best itself, beside the naive one.
  void compareWithBest();
  void compareWithNaive();
  void compareWith(const ProgramRef& other);

 Q_SIGNALS:
  void copyPageWanted();

 private:
  QMenu* compareMenu();
  QMenu* copyMenu();
  void askRecordToCompare();
  void restyle();

  Document& document_;
  ProgramText program_;
  QLabel *title_, *subtitle_;
  QToolButton *compare_, *copy_;
};

} // namespace nestwright::ui
