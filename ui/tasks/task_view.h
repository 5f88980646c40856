#pragma once
/// \file The task table with sorting; follows and sets the shared selection.

#include <QTableView>

class QSortFilterProxyModel;

namespace nestwright::ui {

class Document;
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
  TaskModel* model_;
  QSortFilterProxyModel* sorted_;
};

} // namespace nestwright::ui
