#pragma once
/// \file Plan and budget: what the session is after and how it searches, to be changed on the way,
/// and the outlook: what the rest of the budget and some more minutes are worth, for which
/// tasks, how far such words could be trusted so far, and what to do about it.

#include "core/session/schedule/budget_advice.h"

#include <QWidget>

class QLabel;
class QSpinBox;
class QStandardItemModel;
class QTableView;
class QToolButton;

namespace nestwright::ui {

class BudgetWatch;
class Document;
class PlanForm;

class BudgetView : public QWidget {
  Q_OBJECT
 public:
  explicit BudgetView(Document& document, QWidget* parent = nullptr);

  BudgetWatch& watch() { return *watch_; }
  PlanForm* plan() const { return plan_; }
  QString restWords() const;
  QString extensionWords() const;
  QString accuracyWords() const;
  QSpinBox* minutes() const { return minutes_; }
  QToolButton* stopButton() const { return stop_; }
  QToolButton* extendButton() const { return extend_; }
  QToolButton* moveButton() const { return move_; }
  QTableView* taskTable() const { return taskTable_; }
  QTableView* testTable() const { return testTable_; }

 private:
  void nameColumns();
  QTableView* table(QStandardItemModel* model, const QString& name);
  void refresh();
  void refreshWords();
  void refreshButtons();
  void refreshTables();
  /// Time, not trials, is what the session's owner gave it.
  bool hasTimeBudget() const;
  void extend();
  void move();
  void restyle();
  /// "mostly on task 7" of the advice; empty where no task stands out.
  QString mostly(const GainForecast& forecast) const;

  Document& document_;
  BudgetWatch* watch_;
  PlanForm* plan_;
  QLabel *rest_, *extension_, *accuracy_;
  QSpinBox* minutes_;
  QToolButton *stop_, *extend_, *move_;
  QStandardItemModel *tasks_, *tests_;
  QTableView *taskTable_, *testTable_;
};

} // namespace nestwright::ui
