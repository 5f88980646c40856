#pragma once
/// \file A program's steps beside the loop nest that they make: every step can be looked at, before
/// and after, with what it changes highlighted.

#include "ui/program/program_text.h"

#include <QWidget>

#include <utility>

class QLabel;
class QSplitter;
class QToolButton;
class QTreeView;

namespace nestwright::ui {

class CodeView;
class LoopTreeModel;
class StepPlayer;

/// What each step of a record's program added to the score that a cost model gives it.
struct StepScores {
  RowId record = 0;
  std::vector<double> added;
};

class LoopNestPage : public QWidget {
  Q_OBJECT
 public:
  explicit LoopNestPage(QWidget* parent = nullptr);

  /// Puts this above the steps, where it may be hidden.
  void setAboveSteps(QWidget* widget);
  void show(const ProgramText& program);
  void clear();
  /// Draws them beside the steps whenever their record is shown.
  void showScores(StepScores scores);
  /// Shows the nest after a step of the record's program, once that is shown.
  void showStep(RowId record, int step);
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
  QLabel* legend() const { return legend_; }
  QToolButton* beforeButton() const { return before_; }

 Q_SIGNALS:
  /// A step that was asked for is there.
  void stepShown();
  /// A loop of the finished nest was chosen; -1 for anything else.
  void nodeChosen(int node);

 private:
  void buildTree();
  void showPosition(int position);
  void fitColumns();
  /// Which colour of the footprints' bars is which buffer's.
  void tellBuffers();
  void tellSteps();

  ProgramText program_;
  StepScores scores_;
  std::pair<RowId, int> wantedStep_{}; // of a record that is not shown yet; 0: none
  StepPlayer* player_;
  QSplitter* left_;
  CodeView* steps_;
  QToolButton* before_;
  QTreeView* tree_;
  LoopTreeModel* model_;
  QLabel *legend_, *note_;
  int hot_ = -1;
  double hotShare_ = 0;
};

} // namespace nestwright::ui
