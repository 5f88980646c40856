#pragma once
/// \file The selected program: its loop nest, its steps in words, and its task's compute DAG.

#include "ui/program_text.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QTabWidget;

namespace nestwright::ui {

class Document;
class LoopNestHighlighter;

class ProgramView : public QWidget {
  Q_OBJECT
 public:
  explicit ProgramView(Document& document, QWidget* parent = nullptr);
  /// What is shown.
  const ProgramText& program() const { return program_; }

 Q_SIGNALS:
  void shown();

 private:
  void follow();
  void show(ProgramText program);
  void showNothing(const QString& why);
  void copyPage();
  QPlainTextEdit* addPage(const QString& title, const QString& tip);

  Document& document_;
  ProgramText program_;
  RowId shownBest_ = 0; // the best at the time of reading; a newer one is read again
  QLabel *title_, *subtitle_;
  QTabWidget* pages_;
  QPlainTextEdit *loopNest_, *steps_, *dag_;
  LoopNestHighlighter* highlighter_;
};

} // namespace nestwright::ui
