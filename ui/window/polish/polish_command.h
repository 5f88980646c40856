#pragma once
/// \file The command that polishes the program which all views show: a session of its own tries
/// every other choice for each of its decisions, a step away.

#include "ui/document/reading/file_asking.h"

#include <QObject>

class QAction;

namespace nestwright {
struct PolishWish;
} // namespace nestwright

namespace nestwright::ui {

class Actions;
class Document;

class PolishCommand : public QObject {
  Q_OBJECT
 public:
  PolishCommand(Document& document, Actions& actions, QWidget* window);

  QAction* action() const { return action_; }

 private:
  void follow();
  void ask();
  void make(const PolishWish& wish);
  void tell();
  /// What stands in the way before the record is looked at.
  QString obstacle() const;

  Document& document_;
  QWidget* window_;
  QAction* action_;
  RowId record_ = 0;     // that is shown
  bool isKnown_ = false; // whether it can be polished, which is looked up
  QString whyNot_;       // it cannot
  StoreAsking looking_;  // this and the next last: their answers use the others
  Background making_;
};

} // namespace nestwright::ui
