#include "ui/kit/drag_label.h"

#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"

#include <QApplication>
#include <QPainter>
#include <QPixmap>

namespace nestwright::ui {

QPixmap dragLabel(int programs) {
  const QString text =
      programs == 1 ? QApplication::translate("ProgramDrag", "1 record")
                    : QApplication::translate("ProgramDrag", "%1 records").arg(countText(programs));
  const QFont font = smallFont();
  const QSize size = QFontMetrics(font).size(0, text) + QSize(16, 8);
  const qreal ratio = qApp->devicePixelRatio();
  QPixmap pixmap(size * ratio);
  pixmap.setDevicePixelRatio(ratio);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(colours().accent);
  painter.setBrush(colours().raised);
  painter.drawRoundedRect(QRectF(QPointF(), size).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
  painter.setFont(font);
  painter.setPen(colours().text);
  painter.drawText(QRect(QPoint(), size), Qt::AlignCenter, text);
  return pixmap;
}

} // namespace nestwright::ui
