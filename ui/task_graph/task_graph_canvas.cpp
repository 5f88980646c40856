#include "ui/task_graph/task_graph_canvas.h"

#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/task_graph/mini_map.h"

#include <QApplication>
#include <QGestureEvent>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QPinchGesture>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

/// Pixels from an edge that still mean it.
constexpr double kEdgeReach = 5;
constexpr double kLeastScale = 0.02, kLargestScale = 4, kLargestFit = 1.15;
constexpr double kFitMargin = 26;
/// Where a task is gone to from afar: its node can be read in full.
constexpr double kReadingScale = 0.85;
constexpr int kMoveMilliseconds = 180;

} // namespace

TaskGraphCanvas::TaskGraphCanvas(QWidget* parent) : QWidget(parent), miniMap_(new MiniMap(this)) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(160, 120);
  setAttribute(Qt::WA_OpaquePaintEvent);
  grabGesture(Qt::PinchGesture);
  setAccessibleName(tr("Task graph"));
  connect(miniMap_, &MiniMap::wanted, this, [this](const QPointF& centre) {
    fitted_ = false;
    setCamera(centre, scale_);
  });
  connect(&Theme::instance(), &Theme::changed, this, [this] {
    miniMap_->setScene(scene_);
    placeMiniMap();
    update();
  });
}

// --- what is shown

void TaskGraphCanvas::setPicture(GraphPicturePtr picture) {
  const bool isSame = scene_.picture && picture && scene_.picture->source == picture->source;
  // The node that is looked at: the chosen one, or what is nearest to the middle.
  int anchor = scene_.focus;
  if (isSame && anchor < 0) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t n = 0; n < scene_.layout().nodes.size(); ++n) {
      const QPointF way = scene_.layout().nodes[n].center() - centre_;
      if (std::hypot(way.x(), way.y()) < nearest)
        nearest = std::hypot(way.x(), way.y()), anchor = static_cast<int>(n);
    }
  }
  const bool hadFocus = scene_.focus >= 0;
  int anchored = -1; // as a node of the graph
  QPointF place;
  if (isSame && anchor >= 0) {
    anchored = scene_.picture->drawn.nodes[static_cast<std::size_t>(anchor)];
    place = scene_.layout().nodes[static_cast<std::size_t>(anchor)].center();
  }
  scene_.setPicture(std::move(picture));
  miniMap_->setScene(scene_);
  if (anchored < 0) {
    fit();
    return;
  }
  const int now = scene_.picture->drawn.drawnAs[static_cast<std::size_t>(anchored)];
  if (hadFocus) scene_.focus = now;
  if (fitted_)
    fit();
  else
    setCamera(centre_ + scene_.layout().nodes[static_cast<std::size_t>(now)].center() - place,
              scale_);
}

void TaskGraphCanvas::setValues(GraphValues values) {
  scene_.values = std::move(values);
  miniMap_->setScene(scene_);
  update();
}

void TaskGraphCanvas::setSelectedTask(RowId task, bool reveal) {
  const bool isNew = scene_.selectedTask != task;
  scene_.selectedTask = task;
  update();
  if (!task || !isNew || scene_.isEmpty()) return;
  const GraphTask* focused = scene_.focus >= 0 ? scene_.task(scene_.focus) : nullptr;
  if (focused && focused->task == task) return;
  int first = -1;
  for (int n = 0; n < static_cast<int>(scene_.layout().nodes.size()); ++n) {
    const GraphTask* own = scene_.task(n);
    if (!own || own->task != task) continue;
    if (first < 0) first = n;
    if (seen().contains(scene_.layout().nodes[static_cast<std::size_t>(n)].center())) {
      scene_.focus = n;
      return;
    }
  }
  scene_.focus = first;
  if (first >= 0 && reveal)
    moveTo(scene_.layout().nodes[static_cast<std::size_t>(first)].center(), scale_);
}

void TaskGraphCanvas::setMatches(std::vector<bool> matches) {
  scene_.matches = std::move(matches);
  update();
}

void TaskGraphCanvas::setFocusNode(int node, bool centre) {
  scene_.focus = node;
  update();
  Q_EMIT focusChanged(node);
  if (node < 0) return;
  setAccessibleDescription(describe(scene_, node));
  const QRectF rect = scene_.layout().nodes[static_cast<std::size_t>(node)];
  const double scale = centre && detailAt(scale_) < GraphDetail::Title ? kReadingScale : scale_;
  if (centre || !seen().contains(rect)) moveTo(rect.center(), scale);
}

// --- where one looks from

QPointF TaskGraphCanvas::toWidget(const QPointF& point) const {
  return (point - centre_) * scale_ + QRectF(rect()).center();
}

QPointF TaskGraphCanvas::toDrawing(const QPointF& point) const {
  return (point - QRectF(rect()).center()) / scale_ + centre_;
}

QRectF TaskGraphCanvas::seen() const {
  return {toDrawing(QPointF(0, 0)), QSizeF(size()) / scale_};
}

void TaskGraphCanvas::setCamera(const QPointF& centre, double scale) {
  animation_.stop();
  scale_ = std::clamp(scale, kLeastScale, kLargestScale);
  centre_ = centre;
  if (!scene_.isEmpty()) {
    // Some of the drawing is always in sight.
    const QSizeF all = scene_.layout().size;
    centre_.setX(std::clamp(centre_.x(), 0.0, all.width()));
    centre_.setY(std::clamp(centre_.y(), 0.0, all.height()));
  }
  placeMiniMap();
  update();
}

void TaskGraphCanvas::moveTo(const QPointF& centre, double scale) {
  fitted_ = false;
  if (!isVisible()) return setCamera(centre, scale);
  const QPointF from = centre_;
  const double fromScale = scale_;
  animation_.stop();
  animation_.disconnect();
  animation_.setDuration(kMoveMilliseconds);
  animation_.setStartValue(0.0);
  animation_.setEndValue(1.0);
  animation_.setEasingCurve(QEasingCurve::OutCubic);
  connect(&animation_, &QVariantAnimation::valueChanged, this, [=, this](const QVariant& value) {
    const double part = value.toDouble();
    centre_ = from + (centre - from) * part;
    scale_ = fromScale * std::pow(scale / fromScale, part);
    placeMiniMap();
    update();
  });
  animation_.start();
}

void TaskGraphCanvas::fit() {
  fitted_ = true;
  if (scene_.isEmpty()) {
    placeMiniMap();
    return update();
  }
  const QSizeF all = scene_.layout().size;
  const double scale = std::min((width() - 2 * kFitMargin) / std::max(1.0, all.width()),
                                (height() - 2 * kFitMargin) / std::max(1.0, all.height()));
  setCamera(QPointF(all.width(), all.height()) / 2, std::min(scale, kLargestFit));
}

void TaskGraphCanvas::zoomAt(const QPointF& position, double factor) {
  const QPointF fixed = toDrawing(position);
  const double scale = std::clamp(scale_ * factor, kLeastScale, kLargestScale);
  fitted_ = false;
  setCamera(fixed - (position - QRectF(rect()).center()) / scale, scale);
}

void TaskGraphCanvas::panBy(const QPointF& pixels) {
  fitted_ = false;
  setCamera(centre_ - pixels / scale_, scale_);
}

void TaskGraphCanvas::placeMiniMap() {
  const QRectF part = seen();
  // Only where it helps: something is out of sight, and there is room.
  const bool isNeeded =
      !scene_.isEmpty() && !part.contains(QRectF(QPointF(), scene_.layout().size));
  miniMap_->setVisible(isNeeded && width() > 2 * miniMap_->width());
  miniMap_->move(width() - miniMap_->width() - 10, height() - miniMap_->height() - 10);
  miniMap_->setSeen(part);
}

// --- painting

void TaskGraphCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), colours().base);
  if (scene_.isEmpty()) return;
  const TaskGraphPainter graph(colours(), font());
  painter.save();
  painter.translate(QRectF(rect()).center());
  painter.scale(scale_, scale_);
  painter.translate(-centre_);
  graph.paint(painter, scene_, seen(), scale_);
  painter.restore();
  if (height() > 3 * graph.legendSize().height() && width() > 1.5 * graph.legendSize().width())
    graph.paintLegend(painter, scene_, rect());
}

QSizeF TaskGraphCanvas::pictureSize() const {
  if (scene_.isEmpty()) return {};
  const QSizeF legend = TaskGraphPainter(colours(), font()).legendSize();
  const QSizeF all = scene_.layout().size;
  return {std::max(all.width(), legend.width()) + 2 * kFitMargin,
          all.height() + legend.height() + 3 * kFitMargin};
}

void TaskGraphCanvas::paintPicture(QPainter& painter, const Colours& colours) const {
  if (scene_.isEmpty()) return;
  GraphScene scene = scene_; // as it is, without what the pointer and the keys are at
  scene.focus = scene.hovered = -1;
  const QRectF all(QPointF(), pictureSize());
  painter.fillRect(all, colours.base);
  const TaskGraphPainter graph(colours, font());
  painter.save();
  painter.translate(kFitMargin, kFitMargin);
  graph.paint(painter, scene, QRectF(QPointF(), scene.layout().size), 1);
  painter.restore();
  graph.paintLegend(painter, scene, all);
}

void TaskGraphCanvas::resizeEvent(QResizeEvent*) {
  if (fitted_)
    fit();
  else
    placeMiniMap();
  Q_EMIT resized();
}

// --- the mouse

void TaskGraphCanvas::wheelEvent(QWheelEvent* event) {
  const QPointF turned = event->angleDelta();
  if (event->modifiers() & Qt::ShiftModifier)
    panBy(QPointF(turned.y() + turned.x(), 0) / 2);
  else if (event->modifiers() & Qt::AltModifier)
    panBy(QPointF(0, turned.x() + turned.y()) / 2);
  else
    zoomAt(event->position(), std::pow(1.0016, turned.y()));
  event->accept();
}

bool TaskGraphCanvas::zoomGesture(QEvent* event) {
  if (event->type() == QEvent::NativeGesture) {
    const auto* gesture = static_cast<QNativeGestureEvent*>(event);
    if (gesture->gestureType() != Qt::ZoomNativeGesture) return false;
    zoomAt(gesture->position(), 1 + gesture->value());
    return true;
  }
  if (event->type() != QEvent::Gesture) return false;
  auto* pinch =
      static_cast<QPinchGesture*>(static_cast<QGestureEvent*>(event)->gesture(Qt::PinchGesture));
  if (!pinch) return false;
  zoomAt(mapFromGlobal(pinch->centerPoint()), pinch->scaleFactor());
  return true;
}

void TaskGraphCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
  pressed_ = dragged_ = event->position();
  dragging_ = false;
}

void TaskGraphCanvas::mouseMoveEvent(QMouseEvent* event) {
  const QPointF at = event->position();
  if (event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) {
    if (!dragging_ && (at - pressed_).manhattanLength() < QApplication::startDragDistance()) return;
    dragging_ = true;
    setCursor(Qt::ClosedHandCursor);
    panBy(at - dragged_);
    dragged_ = at;
    return;
  }
  const QPointF point = toDrawing(at);
  const bool onBadge = scene_.badgeAt(point) >= 0;
  const int node = onBadge ? -1 : scene_.nodeAt(point);
  hover(node);
  if (onBadge || (node >= 0 && scene_.task(node)))
    setCursor(Qt::PointingHandCursor);
  else
    unsetCursor();
}

void TaskGraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
  if (std::exchange(dragging_, false)) {
    unsetCursor();
    return;
  }
  if (event->button() != Qt::LeftButton) return;
  const QPointF point = toDrawing(event->position());
  if (const int frame = scene_.badgeAt(point); frame >= 0)
    Q_EMIT repeatToggled(scene_.picture->drawn.frames[static_cast<std::size_t>(frame)].repeat);
  else
    choose(scene_.nodeAt(point));
}

void TaskGraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  const QPointF point = toDrawing(event->position());
  const int node = scene_.badgeAt(point) >= 0 ? -1 : scene_.nodeAt(point);
  const GraphTask* task = node >= 0 ? scene_.task(node) : nullptr;
  if (task) Q_EMIT taskOpened(task->task);
  // Beside everything: back to the whole.
  if (node < 0 && scene_.badgeAt(point) < 0) fit();
}

void TaskGraphCanvas::leaveEvent(QEvent*) {
  hover(-1);
}

void TaskGraphCanvas::hover(int node) {
  if (node == scene_.hovered) return;
  scene_.hovered = node;
  update();
}

void TaskGraphCanvas::choose(int node) {
  scene_.focus = node;
  update();
  Q_EMIT focusChanged(node);
  if (node < 0) return;
  setAccessibleDescription(describe(scene_, node));
  if (const GraphTask* task = scene_.task(node)) Q_EMIT taskChosen(task->task);
}

// --- the keys

/// Down to a reader, up to a maker (the one most straight on), left and right to what is beside.
int TaskGraphCanvas::neighbour(int node, int key) const {
  const auto& nodes = scene_.layout().nodes;
  const QPointF here = nodes[static_cast<std::size_t>(node)].center();
  int best = -1;
  double nearest = std::numeric_limits<double>::infinity();
  const auto consider = [&](int other, double distance) {
    if (distance < nearest) nearest = distance, best = other;
  };
  if (key == Qt::Key_Down || key == Qt::Key_Up) {
    for (const DrawnGraph::Edge& edge : scene_.picture->drawn.edges) {
      const bool follows = key == Qt::Key_Down ? edge.from == node : edge.to == node;
      if (!follows) continue;
      const int other = key == Qt::Key_Down ? edge.to : edge.from;
      // The shortest way first: not the one that skips a block.
      const QPointF way = nodes[static_cast<std::size_t>(other)].center() - here;
      consider(other, std::abs(other - node) * 1e4 + std::abs(way.x()));
    }
    return best;
  }
  for (int other = 0; other < static_cast<int>(nodes.size()); ++other) {
    const QRectF& rect = nodes[static_cast<std::size_t>(other)];
    const double way = (rect.center().x() - here.x()) * (key == Qt::Key_Left ? -1 : 1);
    if (other != node && way > rect.width() / 4)
      consider(other, way + 3 * std::abs(rect.center().y() - here.y()));
  }
  return best;
}

bool TaskGraphCanvas::moveFocus(int key) {
  if (scene_.isEmpty() || scene_.layout().nodes.empty()) return false;
  const int to = scene_.focus < 0 ? 0 : neighbour(scene_.focus, key);
  if (to < 0) return true;
  setFocusNode(to, false);
  if (const GraphTask* task = scene_.task(to)) Q_EMIT taskChosen(task->task);
  return true;
}

void TaskGraphCanvas::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
  case Qt::Key_Down:
  case Qt::Key_Up:
  case Qt::Key_Left:
  case Qt::Key_Right:
    if (moveFocus(event->key())) return;
    break;
  case Qt::Key_Plus:
  case Qt::Key_Equal:
    return zoomBy(1.25);
  case Qt::Key_Minus:
    return zoomBy(0.8);
  case Qt::Key_0:
  case Qt::Key_Home:
    return fit();
  case Qt::Key_Space:
    // The block around the node that one is at.
    if (scene_.focus >= 0)
      for (const DrawnGraph::Frame& frame : scene_.picture->drawn.frames)
        if (std::find(frame.nodes.begin(), frame.nodes.end(), scene_.focus) != frame.nodes.end())
          return Q_EMIT repeatToggled(frame.repeat);
    break;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (const GraphTask* task = scene_.focus >= 0 ? scene_.task(scene_.focus) : nullptr)
      return Q_EMIT taskOpened(task->task);
    break;
  default:
    break;
  }
  QWidget::keyPressEvent(event);
}

// --- what a node is, in full

bool TaskGraphCanvas::event(QEvent* event) {
  if (zoomGesture(event)) return true;
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QPointF point = toDrawing(help->pos());
  const int frame = scene_.badgeAt(point), node = frame >= 0 ? -1 : scene_.nodeAt(point);
  QString text;
  if (frame >= 0) {
    const DrawnGraph::Frame& drawn = scene_.picture->drawn.frames[static_cast<std::size_t>(frame)];
    const Repeat& repeat = scene_.picture->source->repeats[static_cast<std::size_t>(drawn.repeat)];
    text = drawn.folded ? tr("%1 equal blocks of %2 nodes follow one another; one is drawn for "
                             "all. Click to see each.")
                        : tr("%1 equal blocks of %2 nodes. Click to draw one for all.");
    text = text.arg(repeat.copies).arg(repeat.period);
  } else if (node >= 0) {
    text = describe(scene_, node);
  } else if (const int edge = scene_.edgeAt(point, kEdgeReach / scale_); edge >= 0) {
    text = describeEdge(scene_, edge);
  } else if (TaskGraphPainter graph(colours(), font());
             QRectF(10, height() - 10 - graph.legendSize().height(), graph.legendSize().width(),
                    graph.legendSize().height())
                 .contains(help->pos())) {
    text = measureExplanation(scene_.values.measure);
  }
  if (text.isEmpty())
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(), text, this);
  return true;
}

} // namespace nestwright::ui

#include "moc_task_graph_canvas.cpp"
