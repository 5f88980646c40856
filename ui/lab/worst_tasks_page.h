#pragma once
/// \file The tasks that a model is worst on, and in which order it puts the programs of one.

#include "ui/kit/look/flow_splitter.h"
#include "ui/lab/judged.h"

class QTableView;

namespace nestwright::ui {

class JudgedTaskModel;
class OrderPlot;

class WorstTasksPage : public FlowSplitter {
  Q_OBJECT
 public:
  explicit WorstTasksPage(QWidget* parent = nullptr);
  void showLook(const JudgedLook& look);

  JudgedTaskModel* tasks() const { return tasks_; }
  QTableView* table() const { return table_; }
  OrderPlot* order() const { return order_; }

 Q_SIGNALS:
  void taskPicked(int task);

 private:
  void restyle();

  JudgedLook look_;
  JudgedTaskModel* tasks_;
  QTableView* table_;
  OrderPlot* order_;
};

} // namespace nestwright::ui
