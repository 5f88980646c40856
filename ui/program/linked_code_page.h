#pragma once
/// \file Generated code beside the loop IR that it came from: choosing a line on one side
/// emphasises what belongs to it on the other.

#include "ui/kit/code_line.h"
#include "ui/program/program_code.h"

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
  /// `language` is Llvm or Assembly.
  explicit LinkedCodePage(CodeLanguage language, QWidget* parent = nullptr);

  void show(const LoweredProgram& lowered, const CompiledProgram& compiled,
            const QSet<QString>& reductions);
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
  void showState(bool busy, bool code);

  CodeLanguage language_;
  CodeView *loops_, *code_;
  QWidget *head_, *body_;
  QLabel *summary_, *message_;
  QToolButton* hot_;
  QLineEdit* search_;
  QProgressBar* busy_;
  QPushButton *cancel_, *compile_;
  std::vector<IrLine> ir_;
  int hottest_ = -1;
};

} // namespace nestwright::ui
