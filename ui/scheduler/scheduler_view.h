#pragma once
/// \file Who got the trials, and why: the areas of trials given over time, one choice of the
/// scheduler with all its terms, and the tasks to be steered.

#include "core/session/run/events.h"
#include "ui/kit/exportable.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QSlider;
class QTableView;
class QToolButton;

namespace nestwright::ui {

class AllocationPlot;
class ChoiceHistory;
class Document;
class SchedulerModel;
class SortedRows;

class SchedulerView : public QWidget, public ExportableView {
  Q_OBJECT
 public:
  explicit SchedulerView(Document& document, QWidget* parent = nullptr);

  AllocationPlot* plot() const { return plot_; }
  QTableView* table() const { return table_; }
  ChoiceHistory* choices() const { return choices_; }
  /// What is said of the choice that is shown: title and reason.
  QString choiceWords() const;
  Exports exports() override;

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* toolBar();
  QWidget* choicePanel();
  void buildTable();
  void fitColumns();
  void showChoice();
  void followSelection();

  Document& document_;
  AllocationPlot* plot_;
  ChoiceHistory* choices_;
  SchedulerModel* model_;
  SortedRows* sorted_;
  QTableView* table_;
  QComboBox* axis_;
  QToolButton *share_, *first_, *back_, *forward_, *newest_;
  QSlider* slider_;
  QLabel *place_, *title_, *words_;
};

} // namespace nestwright::ui
