#pragma once
/// \file A processor's program as C: the loops that are compiled, in a language that everybody
/// reads.

#include "ui/program/code/program_code.h"

#include <QWidget>

class QLabel;

namespace nestwright::ui {

class CodeView;

class CPage : public QWidget {
  Q_OBJECT
 public:
  explicit CPage(QWidget* parent = nullptr);

  /// `record` is the program's, 0 for one without.
  void show(const LoweredProgram& lowered, RowId record);
  void clear();
  QString text() const;
  CodeView* code() const { return code_; }

 private:
  QLabel* note_;
  CodeView* code_;
};

} // namespace nestwright::ui
