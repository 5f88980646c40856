#pragma once
/// \file Generated code beside the loop IR that it came from: choosing a line on one side
/// emphasises what belongs to it on the other.

#include "ui/kit/code_line.h"
#include "ui/program/code/program_code.h"

#include <QSet>
#include <QWidget>

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace nestwright::ui {

class CodeView;

class LinkedCodePage : public QWidget {
  Q_OBJECT
 public:
  /// Which of a program's two codes it shows.
  enum class Part : std::uint8_t { Source, Machine };
  explicit LinkedCodePage(Part part, QWidget* parent = nullptr);

  /// The name and the colours of the form that is shown from now on.
  void setForms(const ShownForms& forms);

  void show(const LoweredProgram& lowered, const CompiledProgram& compiled,
            const QSet<QString>& reductions);
  /// What the compiler says of the program that is shown; where one looks stays.
  void addCost(const LoweredProgram& lowered, const CompiledProgram& compiled);
  /// Compiling is under way.
  void showProgress(const QString& what);
  /// Why there is no code, and whether the user may ask for it.
  void showProblem(const QString& why, bool canCompile);
  void clear();
  /// Emphasises the code of the lines [from, to) of the loop IR.
  void showLinked(int from, int to);
  void goToHotLoop();

  CodeView* loops() const { return loops_; }
  CodeView* code() const { return code_; }
  QLabel* summary() const { return summary_; }
  QLabel* note() const { return note_; }
  QLabel* message() const { return message_; }
  QPushButton* cancelButton() const { return cancel_; }
  QPushButton* compileButton() const { return compile_; }

 Q_SIGNALS:
  void cancelled();
  void compileWanted();
  /// A line of the loop IR was chosen, on either side.
  void irLineChosen(int line);

 private:
  void choose(int irLine);
  void find(bool forward);
  void showFirstKernel();
  void showState(bool busy, bool code);

  Part part_;
  CodeView *loops_, *code_;
  QWidget *head_, *body_;
  QLabel *summary_, *message_;
  QLabel* note_; // why no form nearer to the machine is shown
  QToolButton* hot_;
  QLineEdit* search_;
  QProgressBar* busy_;
  QPushButton *cancel_, *compile_;
  std::vector<IrLine> ir_;
  int hottest_ = -1;
};

} // namespace nestwright::ui
