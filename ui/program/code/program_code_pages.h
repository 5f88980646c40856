#pragma once
/// \file The two pages of a program's generated code, and its compilation: once, when somebody
/// looks at what it gives.

#include "ui/kit/background.h"
#include "ui/program/code/linked_code_page.h"
#include "ui/program/code/program_code.h"

#include <QObject>
#include <QSet>

#include <optional>

namespace nestwright::ui {

class ProgramCodePages : public QObject {
  Q_OBJECT
 public:
  /// The pages are children of `parent`, as this is.
  explicit ProgramCodePages(QWidget* parent);

  LinkedCodePage* source() const { return source_; }
  LinkedCodePage* machine() const { return machine_; }

  /// What compile() is about from now on; names of `reductions` are coloured.
  void setProgram(const LoweredProgram& lowered, bool naive, const QSet<QString>& reductions);
  void clear();
  /// Compiles in the background, unless that was done or is under way. What needs no compiler is
  /// shown before it has finished.
  void compile();
  const std::optional<CompiledProgram>& compiled() const { return compiled_; }
  /// Why it was not compiled; empty before that was tried.
  const QString& problem() const { return problem_; }
  /// Emphasises the code of the lines [from, to) of the loop IR.
  void showLinked(int from, int to);

 Q_SIGNALS:
  /// It is being compiled.
  void started();
  /// It was compiled, or could not be.
  void finished();
  void compileWanted();
  /// A line of the loop IR was chosen, on either page.
  void irLineChosen(int line);

 private:
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
  QSet<QString> reductions_;
  LinkedCodePage *source_, *machine_;
  // Last: their threads end before anything that they use. The source does not wait for a compiler
  // that cannot be stopped.
  Background writing_, compiling_;
};

} // namespace nestwright::ui
