#pragma once
/// \file The task graph as a table, one row a node: for those who cannot see the drawing, for
/// copying, and for when there is no drawing. Without a graph it lists the session's tasks.

#include "ui/task_graph/graph_loader.h"
#include "ui/task_graph/graph_values.h"

#include <QAbstractTableModel>

namespace nestwright::ui {

class Document;

class TaskGraphModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column {
    Title,
    Node,
    Operators,
    Result,
    Reads,
    Latency,
    Time,
    Trials,
    SpeedUp,
    Errors,
    State,
    ColumnCount
  };
  enum Role { TaskRole = Qt::UserRole, NodeRole, SortRole };

  explicit TaskGraphModel(Document& document, QObject* parent = nullptr);

  /// Null: the session's tasks. `network` is its index in the session.
  void setGraph(FoldableGraphPtr graph, std::size_t network);
  /// Takes the document's numbers once more.
  void refresh();
  /// The first row of a task, or -1.
  int rowOf(RowId task) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  const GraphTask* taskAt(int row) const;
  QString text(int row, int column) const;
  /// The bare number of a column that has one; NaN where it is not known.
  std::optional<double> number(int row, int column) const;
  static GraphMeasure measureOf(int column);

  Document& document_;
  FoldableGraphPtr graph_;
  TaskGraph tasksOnly_; // what is shown without a graph
  std::size_t network_ = 0;
  std::array<GraphValues, std::size(kGraphMeasures)> values_;
};

} // namespace nestwright::ui
