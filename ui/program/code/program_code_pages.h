#pragma once
/// \file A program's code at each level down to the machine's, and its compilation: once, when
/// somebody looks at what it gives.

#include "ui/kit/background.h"
#include "ui/program/code/program_code.h"

#include <QSet>
#include <QWidget>

#include <optional>

namespace nestwright::ui {

class CodeLevels;
class CPage;
class LinkedCodePage;
class LoopIrPage;

class ProgramCodePages : public QWidget {
  Q_OBJECT
 public:
  enum Level {
    LoopIr,
    C,       // only of programs for a processor: a GPU's source is CUDA C
    Source,  // LLVM IR, CUDA C
    Machine, // assembly, PTX, SASS
  };

  explicit ProgramCodePages(QWidget* parent = nullptr);
  ~ProgramCodePages() override;

  LoopIrPage* loopIr() const { return loopIr_; }
  CPage* c() const { return c_; }
  LinkedCodePage* source() const { return source_; }
  LinkedCodePage* machine() const { return machine_; }

  /// Shows what lowering gave; the rest is what compile() is about from now on.
  void setProgram(const ProgramText& text, const LoweredProgram& lowered);
  void clear();

  Level level() const;
  /// In place of one that the program does not have, the next one below it.
  void showLevel(Level level);
  bool isOffered(Level level) const;
  QString levelName(Level level) const;
  /// Of the level that is shown.
  QString text() const;

  /// Compiles in the background, unless that was done or is under way. What needs no compiler is
  /// shown before it has finished.
  void compile();
  const std::optional<CompiledProgram>& compiled() const { return compiled_; }
  /// Why it was not compiled; empty before that was tried.
  const QString& problem() const { return problem_; }
  /// Emphasises the code of the lines [from, to) of the loop IR.
  void showLinked(int from, int to);

 Q_SIGNALS:
  void levelChanged();
  /// It is being compiled.
  void started();
  /// It was compiled, or could not be.
  void finished();
  void compileWanted();
  /// A line of the loop IR was chosen, on either side of a page.
  void irLineChosen(int line);

 private:
  void nameLevels(const ShownForms& forms);
  void writeGpuSource();
  void compileAll();
  void cancel();
  void showProgress(const QString& what);
  void take(CompiledProgram compiled);
  void fail(const QString& why, bool canRepeat);

  std::optional<LoweredProgram> lowered_;
  std::optional<CompiledProgram> compiled_;
  QString problem_;
  bool naive_ = false, isSourceShown_ = false;
  QSet<QString> reductions_; // names of loops, which are coloured
  LoopIrPage* loopIr_;
  CPage* c_;
  LinkedCodePage *source_, *machine_;
  CodeLevels* levels_;
  // Last: their threads end before anything that they use. The source does not wait for a compiler
  // that cannot be stopped.
  Background writing_, compiling_;
};

} // namespace nestwright::ui
