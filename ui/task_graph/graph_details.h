#pragma once
/// \file A graph, and beside it a pane that tells what the node is that was looked at last: it
/// opens when there is something to tell, as long as the user wants it.

#include "core/network/partition/task_graph.h"

#include <QSplitter>
#include <QTimer>

class QToolButton;

namespace nestwright::ui {

class NodePane;

class GraphDetails : public QSplitter {
  Q_OBJECT
 public:
  /// `wanted` is pressed while the pane may open.
  GraphDetails(QWidget* graph, QToolButton* wanted, QWidget* parent);

  NodePane* pane() const { return pane_; }
  bool isWanted() const;
  void setWanted(bool wanted);
  /// The pane opens after `delay` milliseconds, unless it is open already.
  void showNode(const TaskGraph& graph, int node, int delay);
  /// The pane stays as it is.
  void doNotOpen() { opening_.stop(); }
  /// Its graph is no longer shown: nothing is told of it.
  void forget();

 private:
  void open();

  QToolButton* wanted_;
  NodePane* pane_;
  QTimer opening_;
};

} // namespace nestwright::ui
