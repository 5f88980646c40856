#pragma once
/// \file A loop nest in colours under a title, beside another one with the differences marked.

#include "core/schedule/step.h"
#include "core/tensor/compute_dag.h"

#include <QStringList>
#include <QWidget>

class QLabel;
class QPlainTextEdit;

namespace nestwright::ui {

class LoopNestHighlighter;

/// A program's loop nest as it is read; made off the GUI thread.
struct NestText {
  QString text;
  QStringList reductionLoops;
  QString problem; // why there is none
};
NestText nestOf(const ComputeDag& dag, const Steps& steps);

class NestPane : public QWidget {
  Q_OBJECT
 public:
  explicit NestPane(QWidget* parent = nullptr);
  void show(const QString& title, const NestText& nest);
  void showNothing(const QString& why);
  QString title() const;
  QString text() const;
  /// Marks the lines that the other nest does not have; none for an empty text.
  void markAgainst(const QString& other);
  int markedLines() const { return marked_; }

 private:
  void restyle();
  void mark();

  QLabel* title_;
  QPlainTextEdit* nest_;
  LoopNestHighlighter* highlighter_;
  QString other_;
  int marked_ = 0;
};

} // namespace nestwright::ui
