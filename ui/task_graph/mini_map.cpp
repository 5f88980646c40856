#include "ui/task_graph/mini_map.h"

#include "ui/kit/colours.h"
#include "ui/kit/theme.h"

#include <QMouseEvent>

#include <algorithm>

namespace nestwright::ui {
namespace {

constexpr double kWidest = 190, kHighest = 150;
constexpr int kBorder = 5;

} // namespace

MiniMap::MiniMap(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Overview"));
  setToolTip(tr("The whole network; the frame is what is seen. Click or drag to go elsewhere."));
  setCursor(Qt::PointingHandCursor);
  hide();
}

void MiniMap::setScene(const GraphScene& scene) {
  if (scene.isEmpty()) return;
  size_ = scene.layout().size;
  const double zoom = Theme::instance().zoom();
  scale_ = std::min(kWidest * zoom / std::max(1.0, size_.width()),
                    kHighest * zoom / std::max(1.0, size_.height()));
  const QSize inside = (size_ * scale_).toSize().expandedTo(QSize(8, 8));
  resize(inside + QSize(2 * kBorder, 2 * kBorder));
  drawing_ = QPixmap(inside * devicePixelRatioF());
  drawing_.setDevicePixelRatio(devicePixelRatioF());
  drawing_.fill(Qt::transparent);
  QPainter painter(&drawing_);
  painter.scale(scale_, scale_);
  TaskGraphPainter(colours(), font()).paint(painter, scene, QRectF(QPointF(), size_), scale_);
  update();
}

void MiniMap::setSeen(const QRectF& seen) {
  if (seen == seen_) return;
  seen_ = seen;
  update();
}

QPointF MiniMap::toDrawing(const QPointF& point) const {
  return (point - QPointF(kBorder, kBorder)) / scale_;
}

void MiniMap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Colours& c = colours();
  QColor back = c.raised;
  back.setAlphaF(0.94);
  painter.setPen(QPen(c.line, 1));
  painter.setBrush(back);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  painter.translate(kBorder, kBorder);
  painter.drawPixmap(0, 0, drawing_);
  const QRectF all(QPointF(), size_ * scale_);
  const QRectF part = QRectF(seen_.topLeft() * scale_, seen_.size() * scale_).intersected(all);
  QColor veil = c.accent;
  veil.setAlphaF(0.13);
  painter.setBrush(veil);
  painter.setPen(QPen(c.accent, 1.5));
  painter.drawRect(part);
}

void MiniMap::mousePressEvent(QMouseEvent* event) {
  Q_EMIT wanted(toDrawing(event->position()));
}

void MiniMap::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) Q_EMIT wanted(toDrawing(event->position()));
}

} // namespace nestwright::ui

#include "moc_mini_map.cpp"
