#include "ui/curves/curve_plot.h"

#include "ui/charts/axis_tip.h"
#include "ui/charts/brush.h"
#include "ui/charts/curve_axes.h"
#include "ui/document/document.h"
#include "ui/document/note_book.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright::ui {
namespace {

constexpr int kRefreshMilliseconds = 33; // live curves move thirty times a second
constexpr int kRingPixels = 10;          // how near the mouse must come to the ring

} // namespace

CurvePlot::CurvePlot(Document& document, QWidget* parent)
    : ZoomableChart(parent, tr("Tuning curves"),
                    tr("Left and right walk through the trials of the selected task, with Ctrl "
                       "through its improvements; up and down through the tasks. Show as Table "
                       "gives the numbers."),
                    QSize(240, 160)),
      document_(document), labels_(*this), overlays_(*this, labels_, document),
      marks_(*this, document), courseMarks_(*this, document), trials_(*this, document),
      focus_(*this, document), lines_(*this, document), names_(*this, labels_, document),
      conditions_(document, this) {
  build();
  refreshTimer_.setSingleShot(true);
  connect(&refreshTimer_, &QTimer::timeout, this, &CurvePlot::refresh);
  connect(&document, &Document::stateChanged, this, [this] {
    endZoom();
    schedule();
  });
  connect(&document.follower(), &SessionFollower::historyChanged, this, &CurvePlot::schedule);
  connect(&document.selection(), &SharedSelection::changed, this, &CurvePlot::refreshNow);
  connect(&document.notes(), &NoteBook::changed, this, &CurvePlot::schedule);
  connect(&courseMarks_, &CourseMarkLines::changed, this, &CurvePlot::schedule);
  connect(&focus_, &CurveFocus::changed, this, &CurvePlot::schedule);
  restyle();
}

void CurvePlot::build() {
  setUpPlot(*this);
  // Names stand beside the lines. A legend that nobody sees would take minutes to lay out when an
  // imported session with thousands of tasks is closed.
  setAutoAddPlottableToLegend(false);
  setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  axisRect()->setAutoMargins(QCP::msLeft | QCP::msBottom | QCP::msRight);

  tracer_ = new QCPItemTracer(this);
  tracer_->setStyle(QCPItemTracer::tsCircle);
  tracer_->setSize(8);
  tracer_->setVisible(false);
  readout_->setObjectName(QStringLiteral("readout"));
  connect(&conditions_, &TrialConditions::arrived, this, [this] {
    if (!readout_->isHidden()) hover(hovered_);
  });
  connect(new Brush(this), &Brush::brushed, this,
          [this](const QRect& area) { Q_EMIT brushed(trials_.conditionsOf(area, options_)); });
}

void CurvePlot::setOptions(const CurveOptions& options) {
  options_ = options;
  endZoom();
  restyle();
  refreshNow();
}

void CurvePlot::showAll() {
  endZoom();
  refreshNow();
}

void CurvePlot::drawPicture(QPainter& painter, QSize size) {
  if (dirty_) refreshNow();
  readout_->hide();
  tracer_->setVisible(false);
  drawPlot(*this, painter, size);
}

void CurvePlot::schedule() {
  dirty_ = true;
  if (!refreshTimer_.isActive()) refreshTimer_.start(kRefreshMilliseconds);
}

void CurvePlot::refreshNow() {
  dirty_ = true;
  drawHidden_ = true;
  refresh();
  drawHidden_ = false;
}

void CurvePlot::restyle() {
  const Colours& c = colours();
  Chart::restyle();
  if (options_.logarithmic) {
    yAxis->setScaleType(QCPAxis::stLogarithmic);
    yAxis->setTicker(QSharedPointer<LogTicker>::create());
  } else {
    yAxis->setScaleType(QCPAxis::stLinear);
    yAxis->setTicker(QSharedPointer<QCPAxisTicker>::create());
    yAxis->setNumberFormat(QStringLiteral("g"));
    yAxis->setNumberPrecision(5);
  }
  if (options_.x == XAxis::Trials)
    xAxis->setTicker(QSharedPointer<CountTicker>::create());
  else
    xAxis->setTicker(QSharedPointer<TimeTicker>::create());
  explainAxis(*xAxis, axisLabel(options_.x), axisMeaning(options_.x));
  explainAxis(*yAxis, axisLabel(options_.y), axisMeaning(options_.y));
  names_.restyle();
  tracer_->setPen(QPen(c.text, 1.5));
  tracer_->setBrush(c.base);
  marks_.restyle();
  courseMarks_.restyle();
  focus_.restyle();
  schedule();
}

// --- data

void CurvePlot::refresh() {
  refreshTimer_.stop();
  // Behind another tab nothing is drawn; showEvent() draws what is due.
  if (!isVisible() && !drawHidden_) return;
  if (!std::exchange(dirty_, false)) return;
  options_.peakFlops = document_.session().contents().peakFlops;
  overlays_.refresh(options_);
  lines_.refresh(options_);
  focus_.follow(options_);
  if (!zoomed_) fitAxes();
  focus_.draw();
  refreshTrials();
  marks_.refresh(options_);
  courseMarks_.refresh(options_);
  names_.refresh(options_, lines_, focus_);
  showMessage();
  replot(QCustomPlot::rpQueuedReplot);
}

void CurvePlot::fitAxes() {
  const TuningHistory& history = document_.session().history();
  const double last = options_.x == XAxis::Trials ? static_cast<double>(history.lastTrial())
                                                  : history.lastWallSeconds();
  const double farthest = std::max(last, overlays_.lastX());
  xAxis->setRange(0, std::max(farthest * 1.01, options_.x == XAxis::Trials ? 10.0 : 5.0));
  if (options_.onlyProgress && focus_.hasCurve())
    return yAxis->setRange(focus_.wanted(overlays_.values()));
  double low = std::numeric_limits<double>::infinity(), high = 0;
  const auto include = [&](double value) {
    if (!std::isfinite(value) || value <= 0) return;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  lines_.forEachVisible([&](const QCPGraph& line) {
    for (const QCPGraphData& point : *line.data())
      include(point.value);
  });
  for (const double value : overlays_.values())
    include(value);
  // On a linear axis the naive program would press everything else to the bottom.
  if (options_.logarithmic || options_.y == YAxis::SpeedUp)
    include(yValue(history.naiveTotal(), history.totalFlops(), history.naiveTotal(), options_));
  if (high <= 0) low = 0.1, high = 10;
  if (options_.logarithmic)
    yAxis->setRange(low / 1.35, high * std::pow(high / low, 0.08) * 1.1);
  else
    yAxis->setRange(0, high * 1.12);
}

void CurvePlot::refreshTrials() {
  trials_.refresh(options_, listed_);
  const QString text = trials_.listedText(options_, listed_);
  if (std::exchange(listedText_, text) != text) Q_EMIT listedTextChanged();
}

void CurvePlot::setListed(const FilteredRecords& listed) {
  listed_ = listed;
  schedule();
}

void CurvePlot::showMessage() {
  message_->setVisible(document_.session().history().trialCount() == 0);
  message_->setText(document_.session().historyLoading() ? tr("Reading the trials …")
                    : document_.session().isRunning()
                        ? tr("Measuring the naive programs …")
                        : tr("No trials yet. Start the session to see curves."));
}

// --- the mouse

std::optional<CurvePlot::Hit> CurvePlot::hitAt(const QPointF& position) const {
  if (!axisRect()->rect().contains(position.toPoint())) return std::nullopt;
  if (const auto mark = courseMarks_.hitAt(position, options_)) {
    // It tells something, and leaves the selection alone.
    const Selection& selected = document_.selection().current();
    return Hit{selected.task, selected.record, {}, mark->text, false};
  }
  if (const auto dot = trials_.hitAt(position, options_))
    return Hit{dot->task, dot->record, dot->place, dot->text};
  if (const auto line = lines_.hitAt(position, options_))
    return Hit{line->task, 0, line->place, line->text};
  return std::nullopt;
}

void CurvePlot::hover(const QPointF& position) {
  hovered_ = position;
  const std::optional<Hit> hit = hitAt(position);
  const bool changed = tracer_->visible() != hit.has_value() || hit;
  if (!hit) readout_->hide();
  tracer_->setVisible(hit.has_value() && hit->place.y() > 0);
  if (hit) {
    tracer_->position->setCoords(hit->place);
    QString text = hit->text;
    const NoteKey key = hit->record != 0 ? NoteKey{NoteAbout::Record, hit->record}
                        : hit->task != 0
                            ? NoteKey{NoteAbout::Task, hit->task}
                            : NoteKey{NoteAbout::Session, document_.session().row().id};
    if (hit->isProgram) {
      if (const QString conditions = conditions_.of(hit->record); !conditions.isEmpty())
        text += QLatin1Char('\n') + conditions;
      text += noteLine(document_.notes().all(), key);
    }
    readout_->showAt(position, text);
  }
  setCursor(hit ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (changed) replot(QCustomPlot::rpQueuedReplot);
}

std::optional<Selection> CurvePlot::grabAt(const QPointF& position) const {
  const std::optional<QPointF> ring = marks_.ringPixel();
  if (!ring || (*ring - position).manhattanLength() > kRingPixels) return std::nullopt;
  return document_.selection().current(); // there is one ring
}

void CurvePlot::click(const QPointF& position) {
  if (const std::optional<Hit> hit = hitAt(position))
    document_.selection().select({hit->task, hit->record});
}

void CurvePlot::mouseMoveEvent(QMouseEvent* event) {
  ZoomableChart::mouseMoveEvent(event);
  if (event->buttons() & Qt::LeftButton) schedule();
}

void CurvePlot::wheelEvent(QWheelEvent* event) {
  ZoomableChart::wheelEvent(event);
  schedule();
}

void CurvePlot::leaveEvent(QEvent* event) {
  ZoomableChart::leaveEvent(event);
  tracer_->setVisible(false);
  replot(QCustomPlot::rpQueuedReplot);
}

void CurvePlot::showEvent(QShowEvent* event) {
  ZoomableChart::showEvent(event);
  schedule();
}

void CurvePlot::resizeEvent(QResizeEvent* event) {
  ZoomableChart::resizeEvent(event);
  schedule();
}

// --- the keyboard

void CurvePlot::selectTrial(int step, bool bestsOnly) {
  const Selection& selection = document_.selection().current();
  const TaskHistory* task = document_.session().history().find(selection.task);
  if (task == nullptr) return;
  const auto select = [&](const auto& points) {
    if (points.empty()) return;
    const auto& next = neighbour(points, selection.record, step, WalkFrom::Last,
                                 [](const auto& point) { return point.record; });
    document_.selection().select({task->task, next.record});
  };
  if (bestsOnly)
    select(task->bests);
  else
    select(task->trials);
}

void CurvePlot::selectTask(int step) {
  const auto& tasks = document_.session().tasks();
  if (tasks.empty()) return;
  document_.selection().selectTask(neighbour(tasks, document_.selection().current().task, step,
                                             WalkFrom::First,
                                             [](const TaskEntry& task) { return task.row.id; })
                                       .row.id);
}

void CurvePlot::keyPressEvent(QKeyEvent* event) {
  const bool bests = event->modifiers() & Qt::ControlModifier;
  switch (event->key()) {
  case Qt::Key_Left:
    return selectTrial(-1, bests);
  case Qt::Key_Right:
    return selectTrial(1, bests);
  case Qt::Key_Up:
    return selectTask(-1);
  case Qt::Key_Down:
    return selectTask(1);
  default:
    ZoomableChart::keyPressEvent(event);
  }
}

} // namespace nestwright::ui

#include "moc_curve_plot.cpp"
