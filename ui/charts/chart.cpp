#include "ui/charts/chart.h"

#include "ui/kit/theme.h"

#include <QFontMetrics>
#include <QStringList>

namespace nestwright::ui {
namespace {

/// Where a line was broken for want of room.
const QChar kSoftBreak(QChar::LineSeparator);
constexpr int kBeside = 24; // px that a message keeps free

/// The text with the spaces at which a line has to end as breaks.
QString wrapped(const QString& text, const QFontMetrics& metrics, int width) {
  QStringList lines;
  for (const QString& line : text.split(QLatin1Char('\n'))) {
    QString all, last;
    for (const QString& word : line.split(QLatin1Char(' '))) {
      const QString longer = last.isEmpty() ? word : last + QLatin1Char(' ') + word;
      if (last.isEmpty() || metrics.horizontalAdvance(longer) <= width) {
        last = longer;
        continue;
      }
      all += last + kSoftBreak;
      last = word;
    }
    lines.append(all + last);
  }
  return lines.join(QLatin1Char('\n'));
}

} // namespace

Chart::Chart(QWidget* parent, const QString& name, const QString& description, QSize smallest)
    : QCustomPlot(parent), message_(addMessage(*this)), readout_(new Readout(this)) {
  setAccessibleName(name);
  setAccessibleDescription(description);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(smallest);
  connect(this, &QCustomPlot::afterLayout, this, &Chart::wrapMessage);
  connect(&Theme::instance(), &Theme::changed, this, [this] { restyle(); });
}

QString Chart::message() const {
  return message_->visible() ? message_->text().replace(kSoftBreak, QLatin1Char(' ')) : QString();
}

/// The plot would cut a line that is longer than it is wide at both ends.
void Chart::wrapMessage() {
  if (!message_->visible()) return;
  const QString text = message_->text().replace(kSoftBreak, QLatin1Char(' '));
  message_->setText(wrapped(text, QFontMetrics(message_->font()), axisRect()->width() - kBeside));
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
