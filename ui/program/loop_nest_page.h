#pragma once
/// \file A program's steps beside the loop nest that they make: every step can be looked at, before
/// and after, with what it changes highlighted.

#include "ui/program/program_text.h"

#include <QWidget>

class QLabel;
class QSplitter;
class QToolButton;
class QTreeView;

namespace nestwright::ui {

class CodeView;
class LoopTreeModel;
class StepPlayer;

class LoopNestPage : public QWidget {
  Q_OBJECT
 public:
  explicit LoopNestPage(QWidget* parent = nullptr);

  /// Puts this above the steps, where it may be hidden.
  void setAboveSteps(QWidget* widget);
  void show(const ProgramText& program);
  void clear();
  /// What each step of this program added to its score, by the cost model; empty: not known.
  void showAdded(const std::vector<double>& added);
  /// Shows the nest after this step, if there is such a step.
  void showStep(int step);
  /// The loop where most instructions are executed; -1: not known.
  void showHot(int node, double share);
  /// Puts the cursor on a loop of the finished nest.
  void selectNode(int node);
  /// Steps applied to the nest that is shown; all of them for the finished program.
  int position() const;

  StepPlayer* player() const { return player_; }
  CodeView* steps() const { return steps_; }
  QTreeView* tree() const { return tree_; }
  LoopTreeModel* model() const { return model_; }
  QToolButton* beforeButton() const { return before_; }

 Q_SIGNALS:
  /// A loop of the finished nest was chosen; -1 for anything else.
  void nodeChosen(int node);

 private:
  void buildTree();
  void showPosition(int position);
  void fitColumns();

  ProgramText program_;
  StepPlayer* player_;
  QSplitter* left_;
  CodeView* steps_;
  QToolButton* before_;
  QTreeView* tree_;
  LoopTreeModel* model_;
  QLabel* note_;
  int hot_ = -1;
  double hotShare_ = 0;
};

} // namespace nestwright::ui
