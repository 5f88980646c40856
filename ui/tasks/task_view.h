#pragma once
/// \file The task table with sorting; follows and sets the shared selection.

#include <QTableView>

namespace nestwright::ui {

class Document;
class SortedRows;
class TaskModel;

class TaskView : public QTableView {
  Q_OBJECT
 public:
  explicit TaskView(Document& document, QWidget* parent = nullptr);

 private:
  void followSelection();
  void fitColumns();
  void chooseColumns();

  Document& document_;
  bool hasImported_ = false; // some best is a log's
  TaskModel* model_;
  SortedRows* sorted_;
};

} // namespace nestwright::ui
