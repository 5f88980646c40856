#include "ui/charts/brush.h"

#include <QApplication>
#include <QMouseEvent>
#include <QRubberBand>

namespace nestwright::ui {

Brush::Brush(QWidget* chart)
    : QObject(chart), band_(new QRubberBand(QRubberBand::Rectangle, chart)) {
  chart->installEventFilter(this);
}

bool Brush::eventFilter(QObject* watched, QEvent* event) {
  const auto* mouse = dynamic_cast<QMouseEvent*>(event);
  if (mouse == nullptr) return QObject::eventFilter(watched, event);
  const QRect area = QRect(pressed_, mouse->pos()).normalized();
  switch (event->type()) {
  case QEvent::MouseButtonPress:
    if (mouse->button() != Qt::LeftButton || !(mouse->modifiers() & Qt::ShiftModifier)) break;
    pressed_ = mouse->pos();
    dragging_ = true;
    return true;
  case QEvent::MouseMove:
    if (!dragging_) break;
    band_->setGeometry(area);
    band_->show();
    return true;
  case QEvent::MouseButtonRelease: {
    if (!dragging_) break;
    dragging_ = false;
    band_->hide();
    const int least = QApplication::startDragDistance() / 2;
    if (area.width() >= least && area.height() >= least) Q_EMIT brushed(area);
    return true;
  }
  default:
    break;
  }
  return QObject::eventFilter(watched, event);
}

} // namespace nestwright::ui

#include "moc_brush.cpp"
