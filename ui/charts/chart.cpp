#include "ui/charts/chart.h"

#include "ui/kit/theme.h"

namespace nestwright::ui {

Chart::Chart(QWidget* parent, const QString& name, const QString& description, QSize smallest)
    : QCustomPlot(parent), message_(addMessage(*this)), readout_(new Readout(this)) {
  setAccessibleName(name);
  setAccessibleDescription(description);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(smallest);
  connect(&Theme::instance(), &Theme::changed, this, [this] { restyle(); });
}

void Chart::restyle() {
  styleAxes(*this);
  styleText(*message_);
}

void Chart::replot(RefreshPriority priority) {
  isStale_ = !isVisible();
  if (!isStale_) QCustomPlot::replot(priority);
}

/// Zooming sizes all charts behind tabs, too: QCustomPlot would draw each of them.
void Chart::resizeEvent(QResizeEvent* event) {
  if (isVisible()) return QCustomPlot::resizeEvent(event);
  setViewport(rect());
  isStale_ = true;
}

void Chart::showEvent(QShowEvent* event) {
  QCustomPlot::showEvent(event);
  if (isStale_) replot(rpQueuedRefresh);
}

void Chart::showMessageInstead(bool instead) {
  message_->setVisible(instead);
  xAxis->setVisible(!instead);
  yAxis->setVisible(!instead);
}

void Chart::exportPicture(Exports& exports) {
  exports.size = isVisible() ? size() : QSize(900, 540);
  exports.draw = [this, size = exports.size](QPainter& painter) { drawPicture(painter, size); };
}

std::optional<int> Chart::tellOfPointAt(const QPointF& position) {
  const std::optional<int> point = pointAt(position);
  tell(position, point ? describe(*point) : QString());
  return point;
}

void Chart::tell(const QPointF& position, const QString& text) {
  if (text.isEmpty())
    readout_->hide();
  else
    readout_->showAt(position, text);
}

void Chart::hover(const QPointF& position) {
  setCursor(tellOfPointAt(position) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void Chart::click(const QPointF& position) {
  if (const std::optional<int> point = pointAt(position)) choose(*point);
}

void Chart::mouseMoveEvent(QMouseEvent* event) {
  QCustomPlot::mouseMoveEvent(event);
  hover(event->position());
}

void Chart::mouseReleaseEvent(QMouseEvent* event) {
  QCustomPlot::mouseReleaseEvent(event);
  if (event->button() == Qt::LeftButton) click(event->position());
}

void Chart::leaveEvent(QEvent* event) {
  QCustomPlot::leaveEvent(event);
  tell({}, {});
}

void Chart::keyPressEvent(QKeyEvent* event) {
  const bool across = walks() == Qt::Horizontal;
  const int step = event->key() == (across ? Qt::Key_Right : Qt::Key_Up)    ? 1
                   : event->key() == (across ? Qt::Key_Left : Qt::Key_Down) ? -1
                                                                            : 0;
  if (step == 0 || !walk(step)) QCustomPlot::keyPressEvent(event);
}

} // namespace nestwright::ui

#include "moc_chart.cpp"
