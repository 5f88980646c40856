#pragma once
/// \file What the clicked node of a task graph is, as Netron shows it: its operators with their
/// attributes, tensors and work, and why they run as one kernel.

#include "core/network/partition/task_graph.h"

#include <QWidget>

class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace nestwright::ui {

class NodePane : public QWidget {
  Q_OBJECT
 public:
  explicit NodePane(QWidget* parent = nullptr);

  void show(const TaskGraph& graph, int node);
  void clear();
  /// The graph's node that is shown; -1: none.
  int node() const { return node_; }
  QTreeWidget* tree() const { return tree_; }
  /// All of it, a line a fact.
  QString text() const;

 Q_SIGNALS:
  void closed();

 private:
  void restyle();
  QTreeWidgetItem* add(QTreeWidgetItem* to, const QString& name, const QString& value,
                       const QString& tip = {});
  void addOperator(const OperatorFacts& facts, bool fromFile);

  QLabel* title_;
  QTreeWidget* tree_;
  int node_ = -1;
};

} // namespace nestwright::ui
