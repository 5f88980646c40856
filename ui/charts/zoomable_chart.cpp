#include "ui/charts/zoomable_chart.h"

#include <QApplication>

#include <utility>

namespace nestwright::ui {
namespace {

constexpr int kStill = 4; // pixels; who moves no farther has clicked

} // namespace

void ZoomableChart::showAll() {
  endZoom();
  refresh();
}

void ZoomableChart::endZoom() {
  if (std::exchange(zoomed_, false)) Q_EMIT zoomChanged();
}

void ZoomableChart::zoom() {
  zoomed_ = true;
  Q_EMIT zoomChanged();
}

bool ZoomableChart::isMoved(const QMouseEvent& event, int pixels) const {
  return (event.pos() - pressed_).manhattanLength() > pixels;
}

void ZoomableChart::mousePressEvent(QMouseEvent* event) {
  pressed_ = event->pos();
  grabbed_ = event->button() == Qt::LeftButton ? grabAt(event->position()) : std::nullopt;
  held_ = grabbed_.has_value();
  if (!held_) Chart::mousePressEvent(event); // else it would move the axes
}

void ZoomableChart::mouseMoveEvent(QMouseEvent* event) {
  const bool pressed = event->buttons() & Qt::LeftButton;
  if (!pressed) return Chart::mouseMoveEvent(event);
  if (held_) {
    if (!isMoved(*event, QApplication::startDragDistance() - 1)) return;
    readout_->hide();
    if (const auto record = std::exchange(grabbed_, std::nullopt)) drag(*record);
    return;
  }
  // NOLINTNEXTLINE(bugprone-parent-virtual-call): a drag tells of no point
  QCustomPlot::mouseMoveEvent(event);
  if (!zoomed_ && isMoved(*event, kStill)) zoom();
  readout_->hide();
}

void ZoomableChart::mouseReleaseEvent(QMouseEvent* event) {
  if (isMoved(*event, kStill))
    // NOLINTNEXTLINE(bugprone-parent-virtual-call): a drag ends, which chooses no point
    QCustomPlot::mouseReleaseEvent(event);
  else
    Chart::mouseReleaseEvent(event);
}

void ZoomableChart::mouseDoubleClickEvent(QMouseEvent*) {
  showAll();
}

void ZoomableChart::wheelEvent(QWheelEvent* event) {
  Chart::wheelEvent(event);
  zoom();
}

void ZoomableChart::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Home) return showAll();
  Chart::keyPressEvent(event);
}

} // namespace nestwright::ui

#include "moc_zoomable_chart.cpp"
