#include "ui/inspector/knob_plot.h"

#include "ui/inspector/plan_model.h"
#include "ui/kit/colour_map.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/program/program_family.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr double kAxisGrabPixels = 9;
constexpr double kHeadPixels = 20; // beside an axis, above it
constexpr int kBarHeight = 22;     // of the importance of a decision, pixels
constexpr double kStill = 4;       // pixels; who moves no farther has clicked
constexpr double kPalest = 0.22;   // of the colour map: its beginning is hard to see
constexpr std::size_t kFew = 600;  // segments that are drawn strongly

/// Something that the plot paints itself, on one of its layers.
class Painted : public QCPAbstractItem {
 public:
  using Paint = std::function<void(QCPPainter&)>;
  Painted(QCustomPlot* plot, const char* layer, Paint paint)
      : QCPAbstractItem(plot), paint_(std::move(paint)) {
    setLayer(QLatin1String(layer));
    setClipToAxisRect(false);
  }
  double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

 protected:
  void draw(QCPPainter* painter) override { paint_(*painter); }

 private:
  Paint paint_;
};

QColor shareColour(double share) {
  return mapColour(kPalest + (1 - kPalest) * share, colours().dark);
}

} // namespace

KnobPlot::KnobPlot(QWidget* parent)
    : Chart(parent, tr("Measured programs as lines across their decisions"),
            tr("Left and right walk through the programs by throughput. With Ctrl they walk "
               "through the axes; up and down select a value of the axis, with Shift a range, and "
               "Escape releases all. The same numbers are in the table that Export and Copy as "
               "Table give."),
            QSize(260, 160)) {
  setUpPlot(*this);
  axisRect()->setAutoMargins(QCP::msNone);
  for (QCPAxis* axis : {xAxis, yAxis})
    axis->setVisible(false);
  new Painted(this, "main", [this](QCPPainter& painter) {
    paintLines(painter);
    paintAxes(painter);
  });
  new Painted(this, "overlay", [this](QCPPainter& painter) { paintChosen(painter); });
  dragging_.setSingleShot(true);
  connect(&dragging_, &QTimer::timeout, this, &KnobPlot::refresh);
  restyle();
}

void KnobPlot::restyle() {
  Chart::restyle();
  fitMargins();
  refresh();
}

/// Room for the names of the axes above, and for the legend below.
void KnobPlot::fitMargins() {
  const QFontMetrics metrics(Theme::instance().smallFont());
  const int line = metrics.height();
  const int right = metrics.horizontalAdvance(QStringLiteral("100 %")) + 16;
  const int bars = hasImportance() ? kBarHeight + 6 : 0;
  axisRect()->setMargins(QMargins(24, 2 * line + 6 + bars, right, 2 * line));
}

void KnobPlot::resizeEvent(QResizeEvent* event) {
  fitMargins();
  Chart::resizeEvent(event);
}

void KnobPlot::show(KnobScene scene) {
  if (scene.of != scene_.of) brushes_.clear();
  scene_ = std::move(scene);
  fitMargins();
  // Without lines, while they are read again, it stays as it is what is selected of them.
  if (const std::size_t axes = scene_.lines->axes(); axes > 0) {
    if (brushed_ && brushed_ != scene_.lines)
      brushes_ = carriedOver(brushes_, *brushed_, *scene_.lines);
    brushed_ = scene_.lines;
    marked_ = std::min(marked_, axes - 1);
  }
  if (scene_.lines->find(hovered_) == nullptr) {
    hovered_ = 0;
    readout_->hide();
  }
  refresh();
}

void KnobPlot::setSelected(RowId record) {
  if (std::exchange(scene_.selected, record) != record) layer(QLatin1String("overlay"))->replot();
}

void KnobPlot::setBrushes(std::vector<KnobBrush> brushes) {
  brushes_ = std::move(brushes);
  std::erase_if(brushes_, [&](const KnobBrush& b) { return b.axis >= scene_.lines->axes(); });
  refresh();
}

bool KnobPlot::isFaint(const KnobLine& line) const {
  return !isWithin(line, brushes_) || !scene_.listed.lists(line.trial.record);
}

void KnobPlot::refresh() {
  dragging_.stop();
  segments_ = segmentsOf(*scene_.lines, [this](const KnobLine& line) { return isFaint(line); });
  message_->setText(scene_.message);
  message_->setVisible(scene_.lines->lines.empty());
  replot(rpQueuedReplot);
  Q_EMIT computed();
}

// --- where things are

QPointF KnobPlot::pixelOf(std::size_t axis, double place) const {
  const QRect area = axisRect()->rect();
  const auto gaps = static_cast<double>(std::max<std::size_t>(2, scene_.lines->axes()) - 1);
  return {area.left() + area.width() * static_cast<double>(axis) / gaps,
          area.bottom() - place * area.height()};
}

double KnobPlot::placeAt(double y) const {
  const QRect area = axisRect()->rect();
  return (area.bottom() - y) / std::max(1, area.height());
}

std::optional<std::size_t> KnobPlot::axisAt(const QPointF& pixel) const {
  const double place = placeAt(pixel.y());
  const double slack = kAxisGrabPixels / std::max(1, axisRect()->height());
  if (place < -slack || place > 1 + slack) return std::nullopt;
  for (std::size_t axis = 0; axis < scene_.lines->axes(); ++axis)
    if (std::abs(pixelOf(axis, 0).x() - pixel.x()) <= kAxisGrabPixels) return axis;
  return std::nullopt;
}

std::optional<int> KnobPlot::pointAt(const QPointF& pixel) const {
  const double gap = pixelOf(1, 0).x() - pixelOf(0, 0).x();
  const KnobLine* line = lineAt(
      *scene_.lines, [this](const KnobLine& l) { return isFaint(l); },
      (pixel.x() - axisRect()->left()) / std::max(1.0, gap), placeAt(pixel.y()),
      kAxisGrabPixels / std::max(1, axisRect()->height()));
  if (line == nullptr) return std::nullopt;
  return static_cast<int>(line - scene_.lines->lines.data());
}

// --- drawing

void KnobPlot::paintLines(QCPPainter& painter) const {
  painter.setAntialiasing(segments_.size() < 4 * kFew);
  // A pen of one pixel is drawn without an outline of its own, many times as fast.
  const double width = segments_.size() < kFew ? 1.7 : segments_.size() < 4 * kFew ? 1.1 : 1;
  const Colours& c = colours();
  for (const KnobSegment& segment : segments_) {
    const QColor colour = segment.faint        ? faded(c.faint, 60)
                          : segment.share <= 0 ? faded(c.failed, 130)
                                               : faded(shareColour(segment.share), 215);
    painter.setPen(QPen(colour, segment.faint ? 1 : width,
                        !segment.faint && segment.share <= 0 ? Qt::DashLine : Qt::SolidLine));
    painter.drawLine(
        QLineF(pixelOf(segment.axis, segment.from), pixelOf(segment.axis + 1, segment.to)));
  }
}

void KnobPlot::paintAxes(QCPPainter& painter) const {
  if (scene_.lines->lines.empty()) return;
  painter.setFont(Theme::instance().smallFont());
  for (std::size_t axis = 0; axis < scene_.lines->axes(); ++axis) {
    paintAxis(painter, axis);
    paintImportance(painter, axis);
  }
  paintLegend(painter);
}

/// The line, its name, some of its values, and what is selected of it.
void KnobPlot::paintAxis(QCPPainter& painter, std::size_t axis) const {
  const Colours& c = colours();
  const KnobLines& lines = *scene_.lines;
  const QFontMetricsF metrics(painter.font());
  const double gap = pixelOf(1, 0).x() - pixelOf(0, 0).x();
  const bool isShare = axis == lines.knobs.size();
  const QPointF top = pixelOf(axis, 1), bottom = pixelOf(axis, 0);
  if (const KnobBrush* brush = brushOf(axis)) {
    const double high = pixelOf(axis, std::min(1.0, brush->high)).y();
    const double low = pixelOf(axis, std::max(0.0, brush->low)).y();
    painter.setPen(QPen(c.accent, 1));
    painter.setBrush(faded(c.accent, 60));
    painter.drawRect(QRectF(top.x() - 5, high - 3, 10, low - high + 6));
    painter.setBrush(Qt::NoBrush);
  }
  painter.setPen(QPen(c.dim, 1.4));
  painter.drawLine(QLineF(top, bottom));
  // Names beside each other where there is room, else in two rows.
  const QString name = isShare ? tr("throughput") : qs(lines.knobs[axis].knob);
  const double room = axis == 0 ? gap : gap * 1.9;
  const QString shown = metrics.elidedText(name, Qt::ElideRight, room - 8);
  const bool fits = metrics.horizontalAdvance(name) < gap - 8;
  const bool upper = !fits && axis % 2 == 1;
  const double width = metrics.horizontalAdvance(shown);
  const double left =
      std::clamp(top.x() - width / 2, 2.0, std::max(2.0, double(this->width()) - width - 2));
  const double base = top.y() - 7 - (upper ? metrics.height() : 0);
  painter.setPen(hasFocus() && axis == marked_ ? c.accent : c.text);
  painter.drawText(QPointF(left, base - metrics.descent()), shown);
  const auto label = [&](double place, const QString& text) {
    const QString cut =
        isShare ? text : metrics.elidedText(text, Qt::ElideMiddle, std::max(20.0, gap - 14));
    const QPointF at = pixelOf(axis, place) + QPointF(7, metrics.ascent() / 2 - 1);
    const QRectF box(at.x() - 2, at.y() - metrics.ascent(), metrics.horizontalAdvance(cut) + 4,
                     metrics.height());
    painter.fillRect(box, faded(c.base, 200));
    painter.setPen(c.dim);
    painter.drawText(at, cut);
  };
  const auto most = static_cast<std::size_t>(
      std::clamp(axisRect()->height() / (2.2 * metrics.height()), 2.0, 7.0));
  if (isShare)
    for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0})
      label(share, QStringLiteral("%1 %").arg(100 * share, 0, 'f', 0));
  else
    for (const std::size_t value : lines.knobs[axis].labelled(most))
      label(lines.knobs[axis].place(value), qs(lines.knobs[axis].values[value]));
}

bool KnobPlot::hasImportance() const {
  return std::ranges::any_of(scene_.lines->knobs,
                             [](const KnobAxis& axis) { return axis.importance.has_value(); });
}

void KnobPlot::paintImportance(QCPPainter& painter, std::size_t axis) const {
  if (axis >= scene_.lines->knobs.size()) return;
  const std::optional<double> importance = scene_.lines->knobs[axis].importance;
  if (!importance) return;
  const double gap = pixelOf(1, 0).x() - pixelOf(0, 0).x();
  const double width = std::clamp(0.6 * gap, 4.0, 24.0);
  const double left = pixelOf(axis, 1).x() - width / 2, bottom = 3 + kBarHeight;
  const double height = std::max(1.0, *importance * kBarHeight);
  painter.setAntialiasing(false);
  painter.fillRect(QRectF(left, bottom - height, width, height), colours().accent);
  painter.setPen(QPen(colours().faint, 1));
  painter.drawLine(QLineF(left - 2, bottom, left + width + 2, bottom));
}

std::optional<std::size_t> KnobPlot::headAt(const QPointF& pixel) const {
  const double gap = pixelOf(1, 0).x() - pixelOf(0, 0).x();
  if (pixel.y() < 0 || pixel.y() > axisRect()->top() - 3 || gap <= 0) return std::nullopt;
  const double at = (pixel.x() - axisRect()->left()) / gap, axis = std::round(at);
  if (axis < 0 || axis >= static_cast<double>(scene_.lines->axes())) return std::nullopt;
  if (std::abs(at - axis) * gap > kHeadPixels) return std::nullopt;
  return static_cast<std::size_t>(axis);
}

QString KnobPlot::describeAxis(std::size_t axis) const {
  if (axis >= scene_.lines->knobs.size())
    return tr("Throughput, as a share of the fastest program's");
  const KnobAxis& knob = scene_.lines->knobs[axis];
  QString text = tr("%1: %2").arg(
      qs(knob.knob), countedText(std::ssize(knob.values), tr("1 value"), tr("%1 values")));
  if (knob.importance) text += tr("\nimportance %1").arg(percentText(*knob.importance));
  return text;
}

void KnobPlot::paintLegend(QCPPainter& painter) const {
  const QFontMetricsF metrics(painter.font());
  const Colours& c = colours();
  const double y = height() - metrics.descent() - 4;
  double x = axisRect()->left();
  const auto write = [&](const QString& text) {
    painter.setPen(c.dim);
    painter.drawText(QPointF(x, y), text);
    x += metrics.horizontalAdvance(text) + 6;
  };
  write(tr("slow"));
  constexpr int kSteps = 32;
  const double length = std::min(110.0, 0.2 * width());
  for (int i = 0; i < kSteps; ++i)
    painter.fillRect(QRectF(x + i * length / kSteps, y - metrics.ascent() + 3,
                            length / kSteps + 0.6, metrics.ascent() - 3),
                     shareColour(double(i) / (kSteps - 1)));
  x += length + 6;
  write(tr("fast"));
  x += 10;
  const auto sample = [&](const QPen& pen, const QString& text) {
    if (x + 26 + metrics.horizontalAdvance(text) > width() - 4) return; // no room: tool-tips say it
    painter.setPen(pen);
    painter.drawLine(QLineF(x, y - metrics.ascent() / 2 + 1, x + 20, y - metrics.ascent() / 2 + 1));
    x += 26;
    write(text);
    x += 10;
  };
  sample(QPen(c.accent, 3), tr("the fastest"));
  if (scene_.lines->lines.front().failed()) sample(QPen(c.failed, 1.5, Qt::DashLine), tr("failed"));
  if (std::ranges::any_of(segments_, &KnobSegment::faint))
    sample(QPen(faded(c.faint, 120), 1), tr("not selected"));
}

void KnobPlot::paintLine(QCPPainter& painter, const KnobLine& line, const QPen& pen,
                         bool dots) const {
  QPolygonF points;
  for (std::size_t axis = 0; axis < line.places.size(); ++axis)
    points.append(pixelOf(axis, line.places[axis]));
  painter.setAntialiasing(true);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(pen);
  painter.drawPolyline(points);
  if (!dots) return;
  painter.setPen(Qt::NoPen);
  painter.setBrush(pen.color());
  for (const QPointF& point : points)
    painter.drawEllipse(point, 3.2, 3.2);
}

void KnobPlot::paintChosen(QCPPainter& painter) const {
  const Colours& c = colours();
  if (const KnobLine* fastest = scene_.lines->fastest())
    paintLine(painter, *fastest, QPen(c.accent, 2.6), true);
  for (const RowId record : {scene_.selected, hovered_})
    if (const KnobLine* line = scene_.lines->find(record))
      paintLine(painter, *line,
                QPen(c.text, record == hovered_ ? 2.6 : 1.8,
                     record == hovered_ ? Qt::SolidLine : Qt::DashLine),
                record == hovered_);
}

// --- the mouse

QString KnobPlot::describe(int number) const {
  const KnobLine& line = scene_.lines->lines[static_cast<std::size_t>(number)];
  const KnobTrial& trial = line.trial;
  QString text = tr("Trial %1, round %2: ").arg(countText(trial.trial)).arg(trial.round);
  text += line.failed() ? tr("it failed")
                        : tr("%1, %2 of the fastest's throughput")
                              .arg(timeText(trial.seconds), percentText(line.share()));
  text += QLatin1Char('\n') + qs(inWords(*scene_.lines, line));
  if (trial.reason != PickReason::None) text += tr("\nPicked: %1").arg(reasonInWords(trial.reason));
  return text;
}

void KnobPlot::setHovered(RowId record) {
  if (std::exchange(hovered_, record) != record) layer(QLatin1String("overlay"))->replot();
}

void KnobPlot::hover(const QPointF& position) {
  if (axisAt(position)) {
    setHovered(0);
    tell({}, {});
    return setCursor(Qt::SizeVerCursor);
  }
  if (const std::optional<std::size_t> axis = headAt(position);
      axis && !scene_.lines->lines.empty()) {
    setHovered(0);
    setCursor(Qt::ArrowCursor);
    return tell(position, describeAxis(*axis));
  }
  const std::optional<int> line = tellOfPointAt(position);
  setHovered(line ? scene_.lines->lines[static_cast<std::size_t>(*line)].trial.record : 0);
  setCursor(line ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void KnobPlot::leaveEvent(QEvent* event) {
  Chart::leaveEvent(event);
  setHovered(0);
}

void KnobPlot::choose(int line) {
  Q_EMIT picked(scene_.lines->lines[static_cast<std::size_t>(line)].trial.record);
}

/// An axis was clicked: what is selected of it is released.
void KnobPlot::click(const QPointF& position) {
  const std::optional<std::size_t> axis = axisAt(position);
  if (!axis) return Chart::click(position);
  marked_ = *axis;
  if (brushOf(*axis) == nullptr) return Chart::click(position);
  setBrush(*axis, std::nullopt);
  refresh();
  Q_EMIT brushesChanged();
}

void KnobPlot::mousePressEvent(QMouseEvent* event) {
  Chart::mousePressEvent(event);
  pressed_ = event->position();
  pressedAxis_ = event->button() == Qt::LeftButton ? axisAt(pressed_) : std::nullopt;
  dragged_ = false;
}

void KnobPlot::mouseMoveEvent(QMouseEvent* event) {
  if (!pressedAxis_ || !(event->buttons() & Qt::LeftButton)) return Chart::mouseMoveEvent(event);
  dragged_ = dragged_ || std::abs(event->position().y() - pressed_.y()) > kStill;
  if (!dragged_) return;
  tell({}, {});
  marked_ = *pressedAxis_;
  if (setBrush(*pressedAxis_, snapped(*scene_.lines, {*pressedAxis_, placeAt(pressed_.y()),
                                                      placeAt(event->position().y())})))
    dragging_.start(0);
}

void KnobPlot::mouseReleaseEvent(QMouseEvent* event) {
  pressedAxis_.reset();
  if (!std::exchange(dragged_, false)) return Chart::mouseReleaseEvent(event);
  // NOLINTNEXTLINE(bugprone-parent-virtual-call): a drag ends, which chooses no point
  QCustomPlot::mouseReleaseEvent(event);
  Q_EMIT brushesChanged();
}

// --- what is selected

const KnobBrush* KnobPlot::brushOf(std::size_t axis) const {
  const auto found = std::ranges::find(brushes_, axis, &KnobBrush::axis);
  return found == brushes_.end() ? nullptr : &*found;
}

/// True when it is another one than before.
bool KnobPlot::setBrush(std::size_t axis, const std::optional<KnobBrush>& brush) {
  const std::vector<KnobBrush> before = brushes_;
  std::erase_if(brushes_, [&](const KnobBrush& b) { return b.axis == axis; });
  if (brush) brushes_.push_back(*brush);
  std::ranges::sort(brushes_, {}, &KnobBrush::axis);
  return brushes_ != before;
}

bool KnobPlot::walk(int step) {
  if (scene_.lines->lines.empty()) return false;
  Q_EMIT picked(neighbour(scene_.lines->lines, scene_.selected, step, WalkFrom::Last,
                          [](const KnobLine& line) { return line.trial.record; })
                    .trial.record);
  return true;
}

/// To the next value of the marked axis, or as far as that one.
void KnobPlot::moveBrush(int step, bool extends) {
  constexpr double kShareStep = 0.05;
  const KnobLines& lines = *scene_.lines;
  const bool isShare = marked_ == lines.knobs.size();
  const double one =
      isShare ? kShareStep
              : 1.0 / std::max<double>(1, double(lines.knobs[marked_].values.size()) - 1);
  const KnobBrush* present = brushOf(marked_);
  const KnobLine* fastest = lines.fastest();
  const double start = fastest != nullptr ? fastest->places[marked_] : 0;
  // Of a knob the bounds lie half a value outside of what is selected.
  const double edge = isShare ? 0 : one / 2;
  double low = present ? present->low + edge : isShare ? start - kShareStep : start;
  double high = present ? present->high - edge : start;
  if (present && !extends) low += step * one, high += step * one;
  if (present && extends) (step > 0 ? high : low) += step * one;
  if (low < -1e-9 || high > 1 + 1e-9) return;
  setBrush(marked_, snapped(lines, {marked_, low, high}));
  refresh();
  Q_EMIT brushesChanged();
}

void KnobPlot::keyPressEvent(QKeyEvent* event) {
  const int across = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  const int along = event->key() == Qt::Key_Up ? 1 : event->key() == Qt::Key_Down ? -1 : 0;
  if (scene_.lines->lines.empty()) return Chart::keyPressEvent(event);
  if (across != 0 && (event->modifiers() & Qt::ControlModifier)) {
    const auto last = static_cast<int>(scene_.lines->axes()) - 1;
    marked_ = static_cast<std::size_t>(std::clamp(static_cast<int>(marked_) + across, 0, last));
    replot(rpQueuedReplot);
  } else if (along != 0) {
    moveBrush(along, event->modifiers() & Qt::ShiftModifier);
  } else if (event->key() == Qt::Key_Escape && !brushes_.empty()) {
    setBrushes({});
    Q_EMIT brushesChanged();
  } else {
    Chart::keyPressEvent(event);
  }
}

} // namespace nestwright::ui

#include "moc_knob_plot.cpp"
