#include "ui/inspector/knob_plot.h"

#include "ui/inspector/knob_painter.h"
#include "ui/inspector/plan_model.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr double kStill = 4; // pixels; who moves no farther has clicked

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
    const KnobPainter lines = painterOn(painter);
    lines.paintLines(segments_);
    lines.paintAxes(brushes_, hasFocus() ? std::optional(marked_) : std::nullopt);
    lines.paintLegend(segments_);
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

void KnobPlot::fitMargins() {
  axisRect()->setMargins(knobMargins(*scene_.lines));
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
    if (brushed_ && brushed_ != scene_.lines) carryOver(*brushed_);
    brushed_ = scene_.lines;
  }
  if (scene_.lines->find(hovered_) == nullptr) {
    hovered_ = 0;
    readout_->hide();
  }
  refresh();
}

void KnobPlot::carryOver(const KnobLines& before) {
  const KnobLines& now = *scene_.lines;
  brushes_ = carriedOver(brushes_, before, now);
  marked_ = carriedAxis(marked_, before, now).value_or(std::min(marked_, now.axes() - 1));
  if (press_ && press_->axis) press_->axis = carriedAxis(*press_->axis, before, now);
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

KnobGeometry KnobPlot::knobGeometry() const {
  return {axisRect()->rect(), scene_.lines->axes()};
}

QPointF KnobPlot::pixelOf(std::size_t axis, double place) const {
  return knobGeometry().pixelOf(axis, place);
}

std::optional<int> KnobPlot::pointAt(const QPointF& pixel) const {
  const KnobGeometry at = knobGeometry();
  const KnobLine* line = lineAt(
      *scene_.lines, [this](const KnobLine& l) { return isFaint(l); },
      (pixel.x() - at.area.left()) / std::max(1.0, at.gap()), at.placeAt(pixel.y()), at.reach());
  if (line == nullptr) return std::nullopt;
  return static_cast<int>(line - scene_.lines->lines.data());
}

KnobPainter KnobPlot::painterOn(QCPPainter& painter) const {
  return {painter, *scene_.lines, knobGeometry(), size()};
}

void KnobPlot::paintChosen(QCPPainter& painter) const {
  const Colours& c = colours();
  const KnobPainter lines = painterOn(painter);
  if (const KnobLine* fastest = scene_.lines->fastest())
    lines.paintLine(*fastest, QPen(c.accent, 2.6), true);
  for (const RowId record : {scene_.selected, hovered_})
    if (const KnobLine* line = scene_.lines->find(record))
      lines.paintLine(*line,
                      QPen(c.text, record == hovered_ ? 2.6 : 1.8,
                           record == hovered_ ? Qt::SolidLine : Qt::DashLine),
                      record == hovered_);
}

// --- the mouse

QString KnobPlot::describeAxis(std::size_t axis) const {
  if (axis >= scene_.lines->knobs.size())
    return tr("Throughput, as a share of the fastest program's");
  const KnobAxis& knob = scene_.lines->knobs[axis];
  QString text = tr("%1: %2").arg(
      qs(knob.knob), countedText(std::ssize(knob.values), tr("1 value"), tr("%1 values")));
  if (knob.importance) text += tr("\nimportance %1").arg(percentText(*knob.importance));
  return text;
}

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
  if (knobGeometry().axisAt(position)) {
    setHovered(0);
    tell({}, {});
    return setCursor(Qt::SizeVerCursor);
  }
  if (const std::optional<std::size_t> axis = knobGeometry().headAt(position);
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
  const std::optional<std::size_t> axis = knobGeometry().axisAt(position);
  if (!axis) return Chart::click(position);
  marked_ = *axis;
  if (brushOf(brushes_, *axis) == nullptr) return Chart::click(position);
  setBrush(*axis, std::nullopt);
  refresh();
  Q_EMIT brushesChanged();
}

void KnobPlot::mousePressEvent(QMouseEvent* event) {
  Chart::mousePressEvent(event);
  press_.reset();
  if (event->button() != Qt::LeftButton) return;
  if (const std::optional<std::size_t> axis = knobGeometry().axisAt(event->position()))
    press_ = {axis, event->position()};
}

void KnobPlot::mouseMoveEvent(QMouseEvent* event) {
  if (!press_ || !press_->axis || !(event->buttons() & Qt::LeftButton))
    return Chart::mouseMoveEvent(event);
  press_->dragged |= std::abs(event->position().y() - press_->at.y()) > kStill;
  if (!press_->dragged) return;
  tell({}, {});
  marked_ = *press_->axis;
  if (setBrush(marked_, snapped(*scene_.lines, {marked_, knobGeometry().placeAt(press_->at.y()),
                                                knobGeometry().placeAt(event->position().y())})))
    dragging_.start(0);
}

void KnobPlot::mouseReleaseEvent(QMouseEvent* event) {
  const std::optional<Press> press = std::exchange(press_, std::nullopt);
  if (!press || !press->dragged) return Chart::mouseReleaseEvent(event);
  // NOLINTNEXTLINE(bugprone-parent-virtual-call): a drag ends, which chooses no point
  QCustomPlot::mouseReleaseEvent(event);
  Q_EMIT brushesChanged();
}

// --- what is selected

/// True when it is another one than before.
bool KnobPlot::setBrush(std::size_t axis, const std::optional<KnobBrush>& brush) {
  const std::vector<KnobBrush> before = std::exchange(brushes_, withBrush(brushes_, axis, brush));
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
  const std::optional<KnobBrush> brush =
      moved(*scene_.lines, brushOf(brushes_, marked_), marked_, step, extends);
  if (!brush) return;
  setBrush(marked_, brush);
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
