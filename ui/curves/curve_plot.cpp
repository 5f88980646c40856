#include "ui/curves/curve_plot.h"

#include "ui/charts/axis_tip.h"
#include "ui/charts/brush.h"
#include "ui/charts/curve_axes.h"
#include "ui/document/document.h"
#include "ui/document/note_book.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright::ui {
namespace {

constexpr int kRefreshMilliseconds = 33; // live curves move thirty times a second
constexpr int kGrabPixels = 10;          // how near the mouse must come

/// The value of a step line at x, or nothing before its first step.
std::optional<double> valueAt(const QCPGraph& graph, double x) {
  const auto& data = *graph.data();
  auto after = data.findEnd(x, false);
  if (after == data.constBegin()) return std::nullopt;
  return (after - 1)->value;
}

} // namespace

CurvePlot::CurvePlot(Document& document, QWidget* parent)
    : ZoomableChart(parent, tr("Tuning curves"),
                    tr("Left and right walk through the trials of the selected task, with Ctrl "
                       "through its improvements; up and down through the tasks. Show as Table "
                       "gives the numbers."),
                    QSize(240, 160)),
      document_(document), labels_(*this), overlays_(*this, labels_, document),
      marks_(*this, document), courseMarks_(*this, document), trials_(*this, document),
      focus_(*this, document), conditions_(document, this) {
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
  untuned_ = addLine();
  total_ = addLine();

  axisRect()->setAutoMargins(QCP::msLeft | QCP::msBottom | QCP::msRight);

  naiveTotal_ = new QCPItemStraightLine(this);
  naiveTask_ = new QCPItemStraightLine(this);
  for (auto** label : {&totalLabel_, &taskLabel_, &naiveLabel_, &naiveTaskLabel_})
    *label = new QCPItemText(this);
  for (auto* label : {totalLabel_, taskLabel_, naiveLabel_, naiveTaskLabel_}) {
    label->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
    label->setPadding(QMargins(0, 0, 2, 2));
  }
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

QCPGraph* CurvePlot::addLine() {
  QCPGraph* line = addGraph();
  line->setLineStyle(QCPGraph::lsStepLeft);
  return line;
}

void CurvePlot::setOptions(const CurveOptions& options) {
  options_ = options;
  endZoom();
  restyle();
}

void CurvePlot::showAll() {
  endZoom();
  refreshNow();
}

void CurvePlot::drawPicture(QPainter& painter, QSize size) {
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
  for (auto* label : {totalLabel_, taskLabel_, naiveLabel_, naiveTaskLabel_})
    styleText(*label);
  taskLabel_->setBrush(faded(c.base, 150));
  totalLabel_->setColor(c.text);
  naiveTotal_->setPen(QPen(c.dim, 1, Qt::DashLine));
  tracer_->setPen(QPen(c.text, 1.5));
  tracer_->setBrush(c.base);
  marks_.restyle();
  courseMarks_.restyle();
  focus_.restyle();
  refreshNow();
}

// --- data

void CurvePlot::refresh() {
  refreshTimer_.stop();
  // Behind another tab nothing is drawn; showEvent() draws what is due.
  if (!isVisible() && !drawHidden_) return;
  if (!std::exchange(dirty_, false)) return;
  options_.peakFlops = document_.session().contents().peakFlops;
  overlays_.refresh(options_);
  refreshLines();
  styleLines();
  focus_.follow(options_);
  if (!zoomed_) fitAxes();
  focus_.draw();
  refreshTrials();
  marks_.refresh(options_);
  courseMarks_.refresh(options_);
  refreshLabels();
  replot(QCustomPlot::rpQueuedReplot);
}

void CurvePlot::refreshLines() {
  const TuningHistory& history = document_.session().history();
  for (auto it = tasks_.begin(); it != tasks_.end();) {
    if (history.find(it->first)) {
      ++it;
    } else {
      removeGraph(it->second);
      it = tasks_.erase(it);
    }
  }
  for (const TaskHistory& task : history.tasks()) {
    QCPGraph*& line = tasks_[task.task];
    if (!line) line = addLine();
    const Curve curve = bestCurve(history, task, options_);
    line->setData(plotted(curve.x), plotted(curve.y), true);
  }
  const TotalCurve total = totalCurve(history, options_);
  total_->setData(plotted(total.complete.x), plotted(total.complete.y), true);
  untuned_->setData(plotted(total.incomplete.x), plotted(total.incomplete.y), true);
}

void CurvePlot::styleLines() {
  const Colours& c = colours();
  const RowId selected = document_.selection().current().task;
  for (const auto& [task, line] : tasks_) {
    const TaskEntry* entry = document_.session().task(task);
    const QColor colour = c.task(entry ? entry->rank : -1);
    const bool focus = task == selected;
    line->setVisible(focus || options_.showTasks);
    // Where one task is looked at, the others step back.
    line->setPen(QPen(faded(colour, focus ? 255 : selected ? 90 : 200), focus ? 2.4 : 1.2));
    line->setLayer(focus ? QStringLiteral("main") : QStringLiteral("grid"));
    if (focus) {
      trials_.restyle(colour);
      naiveTask_->setPen(QPen(faded(colour, 170), 1, Qt::DotLine));
      taskLabel_->setColor(colour);
    }
  }
  // A single task of weight 1 is its own total.
  const auto& tasks = document_.session().history().tasks();
  const bool several = tasks.size() > 1 || (tasks.size() == 1 && tasks[0].weight != 1);
  total_->setVisible(several || !selected);
  untuned_->setVisible(several || !selected);
  total_->setPen(QPen(c.text, 2.6));
  untuned_->setPen(QPen(c.text, 1.6, Qt::DashLine));
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
  const auto includeLine = [&](const QCPGraph* line) {
    if (line->visible())
      for (const QCPGraphData& point : *line->data())
        include(point.value);
  };
  for (const auto& [task, line] : tasks_)
    includeLine(line);
  includeLine(total_);
  includeLine(untuned_);
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

void CurvePlot::setListed(const ListedRecords& listed) {
  listed_ = listed;
  schedule();
}

/// Above all of the line that lies beside the label, so that it is not struck through; where the
/// line comes from far up, below its end.
void CurvePlot::placeAtEnd(QCPItemText* label, const QCPGraph& line) {
  constexpr double kMostHeights = 2.5;
  const auto last = line.data()->constEnd() - 1;
  const double right = std::min(last->key, xAxis->range().upper);
  const QRectF box = PlotLabels::rectOf(*label);
  const double left = xAxis->pixelToCoord(xAxis->coordToPixel(right) - box.width());
  const double end = yAxis->coordToPixel(last->value);
  double top = end;
  for (auto point = line.data()->findBegin(left); point != line.data()->constEnd(); ++point)
    if (std::isfinite(point->value)) top = std::min(top, yAxis->coordToPixel(point->value));
  const bool above = end - top <= kMostHeights * box.height();
  label->setPositionAlignment(Qt::AlignRight | (above ? Qt::AlignBottom : Qt::AlignTop));
  labels_.place(label, right, above ? yAxis->pixelToCoord(top) : last->value);
}

void CurvePlot::refreshLabels() {
  const TuningHistory& history = document_.session().history();
  const auto atEnd = [&](QCPItemText* label, const QCPGraph* line, RowId task,
                         const QString& name) {
    const bool shown = line && !line->data()->isEmpty() && line->visible();
    label->setVisible(shown);
    if (!shown) return;
    const auto last = line->data()->constEnd() - 1;
    QString text = QStringLiteral("%1  %2").arg(name, yText(last->value, options_.y));
    if (task == focus_.task() && !focus_.since().isEmpty())
      text += QStringLiteral(" · ") + focus_.since();
    label->setText(text);
    placeAtEnd(label, *line);
  };
  atEnd(totalLabel_, total_->data()->isEmpty() ? untuned_ : total_, 0,
        total_->data()->isEmpty() ? tr("total, naive where untuned") : tr("total"));
  const TaskEntry* entry = document_.session().task(document_.selection().current().task);
  const auto line = tasks_.find(document_.selection().current().task);
  atEnd(taskLabel_, entry && line != tasks_.end() ? line->second : nullptr,
        document_.selection().current().task,
        entry ? noteSign(document_.notes().note({NoteAbout::Task, entry->row.id})) +
                    taskTitle(entry->row.name)
              : QString());

  const auto reference = [&](QCPItemStraightLine* item, QCPItemText* label, double y,
                             const QString& text) {
    const bool shown = options_.showReferences && std::isfinite(y) && y > 0;
    item->setVisible(shown);
    item->point1->setCoords(0, y);
    item->point2->setCoords(1, y);
    label->setVisible(shown);
    // Beyond the range it is a caption at the edge that it lies behind.
    const QCPRange& range = yAxis->range();
    const bool above = y > range.upper, below = y < range.lower;
    const double edge = 0.001 * range.size(); // on it, it would be out of sight
    labels_.place(label, xAxis->range().upper,
                  std::clamp(y, range.lower + edge, range.upper - edge));
    label->setText(above ? tr("↑ %1").arg(text) : below ? tr("↓ %1").arg(text) : text);
  };
  const double naive = history.naiveTotal();
  const double naiveY = yValue(naive, history.totalFlops(), naive, options_);
  reference(naiveTotal_, naiveLabel_, naiveY,
            options_.y == YAxis::SpeedUp ? tr("naive")
                                         : tr("naive total  %1").arg(yText(naiveY, options_.y)));
  const TaskHistory* task = history.find(document_.selection().current().task);
  double taskY = kUnknown;
  if (task && task->naiveSeconds > 0)
    taskY = yValue(task->naiveSeconds, task->flops, task->naiveSeconds, options_);
  if (taskY == naiveY) taskY = kUnknown; // one line says both
  reference(naiveTask_, naiveTaskLabel_, taskY,
            tr("naive of this task  %1").arg(yText(taskY, options_.y)));
  message_->setVisible(history.trialCount() == 0);
  message_->setText(document_.session().historyLoading() ? tr("Reading the trials …")
                    : document_.session().isRunning()
                        ? tr("Measuring the naive programs …")
                        : tr("No trials yet. Start the session to see curves."));
}

QString CurvePlot::focusText() const {
  return focus_.task() == 0 ? totalLabel_->text() : taskLabel_->text();
}

// --- the mouse

std::optional<CurvePlot::Hit> CurvePlot::lineHit(const QPointF& position) const {
  const double x = xAxis->pixelToCoord(position.x());
  std::optional<Hit> best;
  const auto consider = [&](const QCPGraph* line, RowId task, const QString& name) {
    if (!line->visible()) return;
    const std::optional<double> y = valueAt(*line, x);
    if (!y) return;
    const double distance = std::abs(yAxis->coordToPixel(*y) - position.y());
    if (distance > kGrabPixels || (best && best->distance <= distance)) return;
    best = Hit{task, 0, x, *y, distance, name};
  };
  consider(total_, 0, tr("weighted total"));
  consider(untuned_, 0, tr("weighted total, naive where untuned"));
  for (const auto& [task, line] : tasks_)
    if (const TaskEntry* entry = document_.session().task(task))
      consider(line, task, taskTitle(entry->row.name));
  if (!best) return best;
  const double naive = document_.session().history().naiveTotal();
  const TaskHistory* task = document_.session().history().find(best->task);
  double factor = 0;
  if (options_.y == YAxis::Latency) factor = (task ? task->naiveSeconds : naive) / (best->y / 1e3);
  best->text += QStringLiteral("\n%1 · %2").arg(xText(x, options_.x), yText(best->y, options_.y));
  if (factor > 0 && std::isfinite(factor))
    best->text += tr(" · %1 faster than naive").arg(factorText(factor));
  return best;
}

std::optional<CurvePlot::Hit> CurvePlot::hitAt(const QPointF& position) const {
  if (!axisRect()->rect().contains(position.toPoint())) return std::nullopt;
  if (const auto mark = courseMarks_.hitAt(position, options_)) {
    // It tells something, and leaves the selection alone.
    const Selection& selected = document_.selection().current();
    return Hit{selected.task, selected.record, 0, 0, 0, mark->text, false};
  }
  if (const auto dot = trials_.hitAt(position, options_))
    return Hit{dot->task, dot->record, dot->place.x(), dot->place.y(), 0, dot->text};
  return lineHit(position);
}

void CurvePlot::hover(const QPointF& position) {
  hovered_ = position;
  const std::optional<Hit> hit = hitAt(position);
  const bool changed = tracer_->visible() != hit.has_value() || hit;
  if (!hit) readout_->hide();
  tracer_->setVisible(hit.has_value() && hit->y > 0);
  if (hit) {
    tracer_->position->setCoords(hit->x, hit->y);
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
  if (!ring || (*ring - position).manhattanLength() > kGrabPixels) return std::nullopt;
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
