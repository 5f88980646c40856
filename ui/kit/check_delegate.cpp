#include "ui/kit/check_delegate.h"

#include "ui/kit/theme.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

namespace nestwright::ui {

void CheckDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  QStyleOptionViewItem cell = option;
  initStyleOption(&cell, index);
  cell.features &= ~QStyleOptionViewItem::HasCheckIndicator;
  cell.text.clear();
  (cell.widget ? cell.widget->style() : QApplication::style())
      ->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
  const double side = cell.fontMetrics.height() * 0.8;
  QRectF box(0, 0, side, side);
  box.moveCenter(QRectF(cell.rect).center());
  const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(on ? colours().accent : colours().dim, 1));
  painter->setBrush(on ? QBrush(colours().accent) : QBrush(Qt::NoBrush));
  painter->drawRoundedRect(box, 2, 2);
  if (on) {
    painter->setPen(QPen(colours().accentText, side / 7, Qt::SolidLine, Qt::RoundCap));
    painter->drawPolyline(QPolygonF{QPointF(box.left() + side * 0.22, box.top() + side * 0.52),
                                    QPointF(box.left() + side * 0.42, box.top() + side * 0.72),
                                    QPointF(box.left() + side * 0.78, box.top() + side * 0.28)});
  }
  painter->restore();
}

bool CheckDelegate::editorEvent(QEvent* event, QAbstractItemModel* model,
                                const QStyleOptionViewItem&, const QModelIndex& index) {
  const bool click = event->type() == QEvent::MouseButtonRelease &&
                     static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton;
  const bool key =
      event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
  if (!click && !key) return false;
  const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
  return model->setData(index, on ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

} // namespace nestwright::ui
