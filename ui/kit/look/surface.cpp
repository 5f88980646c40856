#include "ui/kit/look/surface.h"

namespace nestwright::ui {

void drawSurface(QPainter& painter, const QRect& rect, const Surface& surface) {
  painter.save();
  painter.setBrush(surface.ground.isValid() ? QBrush(surface.ground) : QBrush(Qt::NoBrush));
  painter.setPen(surface.rule.isValid() ? QPen(surface.rule, 1) : QPen(Qt::NoPen));
  const double inset = surface.rule.isValid() ? 0.5 : 0;
  const QRectF area = QRectF(rect).adjusted(inset, inset, -inset, -inset);
  if (surface.radius > 0) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.drawRoundedRect(area, surface.radius, surface.radius);
  } else {
    painter.drawRect(area);
  }
  painter.restore();
}

} // namespace nestwright::ui
