#include "ui/kit/flow_layout.h"

#include <algorithm>

namespace nestwright::ui {

FlowLayout::FlowLayout(QWidget* parent, int spacing) : QLayout(parent) {
  setSpacing(spacing);
}

FlowLayout::~FlowLayout() {
  for (QLayoutItem* item : items_)
    delete item;
}

void FlowLayout::addItem(QLayoutItem* item) {
  items_.push_back(item);
}

QLayoutItem* FlowLayout::itemAt(int index) const {
  return index >= 0 && index < count() ? items_[std::size_t(index)] : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
  if (index < 0 || index >= count()) return nullptr;
  QLayoutItem* item = items_[std::size_t(index)];
  items_.erase(items_.begin() + index);
  return item;
}

int FlowLayout::heightForWidth(int width) const {
  return arrange(QRect(0, 0, width, 0), false);
}

QSize FlowLayout::minimumSize() const {
  QSize size;
  for (const QLayoutItem* item : items_)
    if (!item->isEmpty()) size = size.expandedTo(item->minimumSize());
  const QMargins margins = contentsMargins();
  return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  arrange(rect, true);
}

QSize FlowLayout::sizeOf(const QLayoutItem* item, int room) const {
  return item->sizeHint().expandedTo(item->minimumSize()).boundedTo(QSize(room, 1 << 20));
}

int FlowLayout::placeLine(const std::vector<QLayoutItem*>& line, const QRect& room, int y,
                          bool move) const {
  int height = 0, left = room.width() + spacing(), growing = 0;
  for (const QLayoutItem* item : line) {
    const QSize size = sizeOf(item, std::max(room.width(), 1));
    height = std::max(height, size.height());
    left -= size.width() + spacing();
    if (item->expandingDirections() & Qt::Horizontal) ++growing;
  }
  int x = room.x();
  for (QLayoutItem* item : line) {
    QSize size = sizeOf(item, std::max(room.width(), 1));
    if (growing > 0 && (item->expandingDirections() & Qt::Horizontal))
      size.rwidth() += std::max(0, left) / growing;
    if (move) item->setGeometry(QRect(QPoint(x, y + (height - size.height()) / 2), size));
    x += size.width() + spacing();
  }
  return height;
}

int FlowLayout::arrange(const QRect& rect, bool move) const {
  const QRect room = rect.marginsRemoved(contentsMargins());
  int y = room.y(), used = 0;
  std::vector<QLayoutItem*> line;
  for (QLayoutItem* item : items_) {
    if (item->isEmpty()) continue; // hidden
    const int width = sizeOf(item, std::max(room.width(), 1)).width();
    if (!line.empty() && used + width > room.width()) {
      y += placeLine(line, room, y, move) + spacing();
      line.clear();
      used = 0;
    }
    line.push_back(item);
    used += width + spacing();
  }
  y += placeLine(line, room, y, move);
  return y - rect.y() + contentsMargins().bottom();
}

} // namespace nestwright::ui
