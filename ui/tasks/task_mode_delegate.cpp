#include "ui/tasks/task_mode_delegate.h"

#include "ui/kit/colours.h"

#include <QApplication>
#include <QPainter>

namespace nestwright::ui {
namespace {

/// A square of side 1 around the origin is what the signs are drawn in.
void drawPause(QPainter* painter) {
  painter->drawRect(QRectF(-0.27, -0.34, 0.18, 0.68));
  painter->drawRect(QRectF(0.09, -0.34, 0.18, 0.68));
}

void drawPin(QPainter* painter) {
  painter->rotate(35);
  painter->drawRoundedRect(QRectF(-0.22, -0.42, 0.44, 0.1), 0.05, 0.05);
  painter->drawPolygon(QPolygonF{{-0.13, -0.34}, {0.13, -0.34}, {0.17, -0.02}, {-0.17, -0.02}});
  painter->drawRoundedRect(QRectF(-0.27, -0.04, 0.54, 0.1), 0.05, 0.05);
  painter->drawPolygon(QPolygonF{{-0.045, 0.05}, {0.045, 0.05}, {0, 0.46}});
}

} // namespace

void TaskModeDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
  QStyleOptionViewItem cell = option;
  initStyleOption(&cell, index);
  cell.features &= ~QStyleOptionViewItem::HasCheckIndicator;
  cell.text.clear();
  (cell.widget ? cell.widget->style() : QApplication::style())
      ->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
  const bool isOn = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
  const double side = cell.fontMetrics.height();
  QRectF ground(0, 0, side * 1.5, side * 1.1);
  ground.moveCenter(QRectF(cell.rect).center());
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  if (isOn) {
    painter->setBrush(colours().accent);
    painter->drawRoundedRect(ground, side * 0.25, side * 0.25);
  }
  const bool isUnderMouse = cell.state.testFlag(QStyle::State_MouseOver);
  painter->setBrush(isOn ? colours().accentText : isUnderMouse ? colours().dim : colours().faint);
  painter->translate(ground.center());
  painter->scale(side * 0.85, side * 0.85);
  if (mode_ == TaskMode::Pinned)
    drawPin(painter);
  else
    drawPause(painter);
  painter->restore();
}

} // namespace nestwright::ui
