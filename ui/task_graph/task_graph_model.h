#pragma once
/// \file The task graph as a table, one row a node: for those who cannot see the drawing, for
/// copying, and for when there is no drawing. Without a graph it lists the session's tasks.

#include "core/support/row_id.h"
#include "ui/kit/table/column_model.h"
#include "ui/task_graph/graph_loader.h"
#include "ui/task_graph/graph_values.h"

namespace nestwright::ui {

class Document;

/// A row for each node: its index in the graph, which is its ItemRole, too.
class TaskGraphModel : public TableModel<int> {
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
    Definition,
    ColumnCount
  };

  explicit TaskGraphModel(Document& document, QObject* parent = nullptr);

  /// Null: the session's tasks. `network` is its index in the session.
  void setGraph(FoldableGraphPtr graph, std::size_t network);
  /// No rows until there is a graph: a list of thousands of tasks in its place is work, too.
  void forget();
  /// Takes the document's numbers once more.
  void refresh();
  /// The first row of a task, or of the operator that it defines in another way; or -1.
  int rowOf(RowId task) const;

 private:
  const TaskGraph& graph() const { return graph_ ? graph_->graph : tasksOnly_; }
  const TaskGraphNode& nodeAt(int row) const {
    return graph().nodes[static_cast<std::size_t>(row)];
  }
  void show(FoldableGraphPtr graph, TaskGraph tasksOnly);
  const GraphTask* taskAt(int row) const;
  /// NaN where it is not known.
  double measured(int row, GraphMeasure measure) const;
  /// Computed when somebody asks for them.
  const GraphValues& valuesOf(GraphMeasure measure) const;
  Columns columns() const;
  QVariant rowData(const int& row, int role) const override;

  Document& document_;
  FoldableGraphPtr graph_;
  TaskGraph tasksOnly_; // what is shown without a graph
  std::size_t network_ = 0;
  mutable std::array<std::optional<GraphValues>, std::size(kGraphMeasures)> values_;
  mutable std::optional<std::vector<RowId>> running_; // per task of the graph
};

} // namespace nestwright::ui
