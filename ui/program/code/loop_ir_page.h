#pragma once
/// \file A program's loops with their buffers and indices: as sampled, and after each lowering
/// pass.

#include "ui/program/code/program_code.h"

#include <QSet>
#include <QWidget>

class QComboBox;
class QLabel;

namespace nestwright::ui {

class CodeView;

class LoopIrPage : public QWidget {
  Q_OBJECT
 public:
  explicit LoopIrPage(QWidget* parent = nullptr);

  /// After the pass that was chosen before, if it has that one; names of `reductions` are coloured.
  void show(const LoweredProgram& lowered, const QSet<QString>& reductions);
  void clear();
  /// Emphasises the lines [from, to) of the last pass, where that is shown.
  void showLinked(int from, int to);
  QString text() const;

  QComboBox* passes() const { return passes_; }

 private:
  void showPass(int pass);
  void restyle();

  std::vector<LoweredProgram::Pass> shown_;
  QString problem_; // why there may be fewer
  QComboBox* passes_;
  QLabel* meaning_;
  CodeView* code_;
};

} // namespace nestwright::ui
