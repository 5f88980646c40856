#include "ui/task_graph/graph_details.h"

#include "ui/task_graph/node_pane.h"

#include <QToolButton>

namespace nestwright::ui {

GraphDetails::GraphDetails(QWidget* graph, QToolButton* wanted, QWidget* parent)
    : QSplitter(parent), wanted_(wanted), pane_(new NodePane(this)) {
  addWidget(graph);
  addWidget(pane_);
  setStretchFactor(0, 1);
  setStretchFactor(1, 0);
  setChildrenCollapsible(false);
  setHandleWidth(1);
  pane_->hide();
  opening_.setSingleShot(true);
  connect(&opening_, &QTimer::timeout, this, &GraphDetails::open);
  connect(wanted_, &QToolButton::clicked, this, &GraphDetails::open);
  connect(pane_, &NodePane::closed, this, [this] { setWanted(false); });
}

bool GraphDetails::isWanted() const {
  return wanted_->isChecked();
}

void GraphDetails::setWanted(bool wanted) {
  wanted_->setChecked(wanted);
  open();
}

void GraphDetails::showNode(const TaskGraph& graph, int node, int delay) {
  pane_->show(graph, node);
  if (pane_->isHidden()) opening_.start(delay);
}

void GraphDetails::forget() {
  opening_.stop();
  pane_->clear();
  open();
}

void GraphDetails::open() {
  const bool opens = isWanted() && pane_->node() >= 0;
  if (opens == !pane_->isHidden()) return;
  // Beside the drawing where there is room for both, else below it.
  const bool wide = width() > fontMetrics().averageCharWidth() * 110;
  setOrientation(wide ? Qt::Horizontal : Qt::Vertical);
  const int whole = wide ? width() : height();
  const int own = wide ? fontMetrics().averageCharWidth() * 62 : whole * 2 / 5;
  pane_->setVisible(opens);
  if (opens) setSizes({whole - own, own});
}

} // namespace nestwright::ui

#include "moc_graph_details.cpp"
