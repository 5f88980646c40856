#include "ui/kit/look/flow_splitter.h"

namespace nestwright::ui {

FlowSplitter::FlowSplitter(int sideBySide, QWidget* parent)
    : QSplitter(Qt::Vertical, parent), sideBySide_(sideBySide) {
  setHandleWidth(1);
  setChildrenCollapsible(false);
}

void FlowSplitter::resizeEvent(QResizeEvent* event) {
  setOrientation(width() >= sideBySide_ ? Qt::Horizontal : Qt::Vertical);
  QSplitter::resizeEvent(event);
}

} // namespace nestwright::ui
