#include "ui/window/guidance/status_dot.h"

#include <QPainter>
#include <QWidget>

namespace nestwright::ui {

QPixmap statusDot(const QColor& colour, const QWidget& beside) {
  const int side = beside.fontMetrics().height() * 2 / 3;
  QPixmap pixmap(QSize(side, side) * beside.devicePixelRatioF());
  pixmap.setDevicePixelRatio(beside.devicePixelRatioF());
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(colour);
  painter.setPen(Qt::NoPen);
  painter.drawEllipse(QRectF(1, 1, side - 2, side - 2));
  return pixmap;
}

} // namespace nestwright::ui
