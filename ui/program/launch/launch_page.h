#pragma once
/// \file How the kernels of a GPU program are launched and what they take, in words, as a drawing
/// and as a table, after every step that makes the program.

#include "ui/program/code/program_code.h"
#include "ui/program/launch/kernel_facts.h"
#include "ui/program/program_text.h"

#include <QWidget>

#include <optional>

class QLabel;
class QTableView;

namespace nestwright::ui {

class LaunchDrawing;
class StepPlayer;

class LaunchPage : public QWidget {
  Q_OBJECT
 public:
  explicit LaunchPage(QWidget* parent = nullptr);

  void show(const ProgramText& program, const LoweredProgram& lowered);
  /// What the compiler will say is on its way.
  void showCompiling();
  /// What the compiler says of the finished program, or why it says nothing.
  void showCompiled(const CompiledProgram& compiled);
  void showProblem(const QString& why);
  void clear();

  StepPlayer* player() const { return player_; }
  LaunchDrawing* drawing() const { return drawing_; }
  QTableView* kernels() const { return table_; }
  KernelModel* model() const { return model_; }
  QLabel* words() const { return words_; }
  QLabel* readout() const { return readout_; }
  QLabel* note() const { return note_; }
  /// All that is said of the kernels that are shown.
  QString text() const;

 private:
  void restyle();
  void showPosition(int position);
  void showKernel();
  void showNote();
  bool isFinished() const;
  /// Whether the record says what each of its kernels took.
  bool isMeasured() const;
  std::vector<KernelFacts> factsAt(int position) const;
  QString noteText() const;

  ProgramText program_;
  std::vector<Launch> launches_; // of the finished program, as it is lowered
  std::optional<CompiledProgram> compiled_;
  QString problem_; // of compiling
  bool isCompiling_ = false;
  QString kernel_; // the name of the one that is looked at
  StepPlayer* player_;
  QLabel *words_, *readout_, *note_;
  LaunchDrawing* drawing_;
  QTableView* table_;
  KernelModel* model_;
};

} // namespace nestwright::ui
