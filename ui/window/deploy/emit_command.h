#pragma once
/// \file The command that saves the program which all views show as a file for a compiler or a
/// linker, as `nestwright show --emit` does: C, assembly, LLVM IR, an object, or CUDA C.

#include "core/support/row_id.h"
#include "ui/kit/background.h"

#include <QObject>

class QAction;

namespace nestwright::ui {

class Actions;
class Document;

class EmitCommand : public QObject {
  Q_OBJECT
 public:
  EmitCommand(Document& document, Actions& actions, QWidget* window);

  QAction* action() const { return action_; }
  /// Writes the record's program, in place of a file that is there: whole, or not at all. The
  /// path's ending says as what. Emits told(), or warns.
  void save(RowId record, const QString& path);

 Q_SIGNALS:
  void told(const QString& sentence);

 private:
  void follow();
  void ask();
  QString obstacle() const;
  /// Of the program that is shown; 0: it is none of this document's records.
  RowId shownRecord() const;

  Document& document_;
  QWidget* window_;
  QAction* action_;
  Background making_; // last: its work is waited for first
};

} // namespace nestwright::ui
