#include "ui/travel/travel_plot.h"

#include "ui/charts/axis_tickers.h"
#include "ui/charts/axis_tip.h"
#include "ui/document/words/program_words.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

constexpr double kGrabPixels = 10;
constexpr double kFar = 1e4; // for lines across the plot

} // namespace

TravelPlot::TravelPlot(QWidget* parent)
    : ZoomableChart(parent, tr("Programs on two targets"),
                    tr("Left and right walk through the programs, the fastest on the first target "
                       "first. The same numbers are in the tables beside it."),
                    QSize(220, 160)) {
  setUpPlot(*this);
  setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  for (QCPGraph** graph : {&nowhere_, &onOne_, &onBoth_, &failed_, &ring_}) {
    *graph = addGraph();
    (*graph)->setLineStyle(QCPGraph::lsNone);
  }
  onOne_->setName(tr("good on one of the two"));
  onBoth_->setName(tr("good on both"));
  failed_->setName(tr("failed on one"));
  for (QCPItemLine** line : {&diagonal_, &boundA_, &boundB_})
    *line = new QCPItemLine(this);
  for (QCPAxis* axis : {xAxis, yAxis}) {
    axis->setScaleType(QCPAxis::stLogarithmic);
    axis->setTicker(QSharedPointer<LogTicker>::create());
  }
  putLegendAbove(*this);
  restyle();
}

void TravelPlot::restyle() {
  const Colours& c = colours();
  const double side = 7 * Theme::instance().zoom();
  Chart::restyle();
  const auto points = [&](QCPGraph* graph, QCPScatterStyle::ScatterShape shape, QColor colour,
                          int fill, double size) {
    graph->setScatterStyle(
        QCPScatterStyle(shape, QPen(colour, 1.3), QBrush(faded(colour, fill)), size));
  };
  points(nowhere_, QCPScatterStyle::ssCircle, faded(c.faint, 150), 40, side * 0.6);
  points(onOne_, QCPScatterStyle::ssDiamond, c.series[1], 110, side * 1.2);
  points(onBoth_, QCPScatterStyle::ssSquare, c.series[0], 150, side);
  points(failed_, QCPScatterStyle::ssCross, c.failed, 0, side);
  ring_->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(c.accent, 3), Qt::NoBrush, side * 2.1));
  diagonal_->setPen(QPen(c.dim, 1, Qt::DashLine));
  for (QCPItemLine* line : {boundA_, boundB_})
    line->setPen(QPen(faded(c.accent, 170), 1, Qt::DashDotLine));
  styleLegend(*legend);
  refresh();
}

void TravelPlot::show(TravelScene scene) {
  if (scene.answer.times != scene_.answer.times || scene.task != scene_.task ||
      scene.a != scene_.a || scene.b != scene_.b)
    endZoom();
  scene_ = std::move(scene);
  readout_->hide();
  refresh();
}

void TravelPlot::choose(const std::optional<TravelRow>& row) {
  scene_.chosen = row;
  markChosen();
  replot(QCustomPlot::rpQueuedReplot);
}

void TravelPlot::addTask(std::size_t index, std::size_t stride) {
  const TaskTimes& task = scene_.answer.times->tasks[index];
  const TaskTravel& travel = scene_.answer.map.tasks[index];
  const auto place = [&](std::size_t target) {
    return std::ranges::find(task.targets, target) - task.targets.begin();
  };
  const auto a = static_cast<std::size_t>(place(scene_.a)),
             b = static_cast<std::size_t>(place(scene_.b));
  if (a == task.targets.size() || b == task.targets.size()) return;
  for (std::size_t program = 0; program < task.programs.size(); ++program) {
    const double onA = task.slowdown(program, a), onB = task.slowdown(program, b);
    if (!std::isfinite(onA) && !std::isfinite(onB)) continue;
    if (std::isnan(onA) || std::isnan(onB)) continue;
    const double bound = 1 + scene_.answer.map.settings.within;
    if (program % stride != 0 && onA > bound && onB > bound) {
      ++leftOut_;
      continue;
    }
    points_.push_back({{index, program, travel.travels.programs[program], {}}, onA, onB, onA, onB});
  }
}

void TravelPlot::collect() {
  points_.clear();
  leftOut_ = 0;
  const std::vector<TaskTimes>& tasks = scene_.answer.times->tasks;
  if (scene_.answer.map.tasks.size() != tasks.size()) return;
  std::size_t programs = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (!scene_.task || *scene_.task == i) programs += tasks[i].programs.size();
  const std::size_t stride = 1 + programs / kMostPoints;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (!scene_.task || *scene_.task == i) addTask(i, stride);
  std::ranges::stable_sort(points_, {}, &Point::onA);
  placeFailed();
}

/// What failed on a target has no time there: it stands beyond the slowest.
void TravelPlot::placeFailed() {
  double slowest = 1.5;
  for (const Point& point : points_)
    for (const double ratio : {point.onA, point.onB})
      if (std::isfinite(ratio)) slowest = std::max(slowest, ratio);
  for (Point& point : points_) {
    if (std::isinf(point.onA)) point.x = slowest * 1.3;
    if (std::isinf(point.onB)) point.y = slowest * 1.3;
  }
}

void TravelPlot::refresh() {
  collect();
  const bool none = points_.empty();
  message_->setText(scene_.message.isEmpty() && none
                        ? tr("These two targets share no program that ran.")
                        : scene_.message);
  showMessageInstead(none);
  legend->setVisible(!none);
  for (QCPItemLine* line : {diagonal_, boundA_, boundB_})
    line->setVisible(!none);
  drawPoints();
  if (!none && !zoomed_) {
    double far = 1.5;
    for (const Point& point : points_)
      far = std::max({far, point.x, point.y});
    for (QCPAxis* axis : {xAxis, yAxis})
      axis->setRange(0.93, far * 1.1);
  }
  const double bound = 1 + scene_.answer.map.settings.within;
  diagonal_->start->setCoords(1 / kFar, 1 / kFar);
  diagonal_->end->setCoords(kFar, kFar);
  boundA_->start->setCoords(bound, 1 / kFar);
  boundA_->end->setCoords(bound, kFar);
  boundB_->start->setCoords(1 / kFar, bound);
  boundB_->end->setCoords(kFar, bound);
  const std::vector<DataTarget>& targets = scene_.answer.times->targets;
  const auto axis = [&](QCPAxis& of, std::size_t target) {
    explainAxis(of,
                target < targets.size() ? tr("time by the best on %1").arg(qs(targets[target].id))
                                        : QString(),
                tr("1 is the best program of its task on this target, 2 takes twice as long. Lower "
                   "is better. On the dashed diagonal a program is as good on both targets; the "
                   "other lines are the bound of what counts as good."));
  };
  axis(*xAxis, scene_.a);
  axis(*yAxis, scene_.b);
  markChosen();
  replot(QCustomPlot::rpQueuedReplot);
}

void TravelPlot::drawPoints() {
  const double bound = 1 + scene_.answer.map.settings.within;
  for (QCPGraph* graph : {nowhere_, onOne_, onBoth_, failed_})
    graph->data()->clear();
  for (const Point& point : points_) {
    const int good = int(point.onA <= bound) + int(point.onB <= bound);
    QCPGraph* graph = std::isinf(point.onA) || std::isinf(point.onB) ? failed_
                      : good == 2                                    ? onBoth_
                      : good == 1                                    ? onOne_
                                                                     : nowhere_;
    graph->addData(point.x, point.y);
  }
  nowhere_->setName(leftOut_ == 0
                        ? tr("good on neither")
                        : tr("good on neither, without %1 more").arg(countText(leftOut_)));
  legend->clearItems();
  for (QCPGraph* graph : {onBoth_, onOne_, nowhere_, failed_})
    if (!graph->data()->isEmpty()) graph->addToLegend();
  wrapLegend(*this);
}

void TravelPlot::markChosen() {
  ring_->data()->clear();
  if (!scene_.chosen) return;
  for (const Point& point : points_)
    if (point.row == *scene_.chosen) ring_->addData(point.x, point.y);
}

QPointF TravelPlot::pixelOf(const Point& point) const {
  return {xAxis->coordToPixel(point.x), yAxis->coordToPixel(point.y)};
}

std::optional<QPointF> TravelPlot::pixelOf(const TravelRow& row) const {
  for (const Point& point : points_)
    if (point.row == row) return pixelOf(point);
  return std::nullopt;
}

std::optional<int> TravelPlot::pointAt(const QPointF& pixel) const {
  return nearestPoint(points_.size(), kGrabPixels, [&](std::size_t point) {
    const QPointF off = pixelOf(points_[point]) - pixel;
    return std::hypot(off.x(), off.y());
  });
}

QString TravelPlot::describe(int point) const {
  const Point& of = points_[static_cast<std::size_t>(point)];
  const TravelTimes& times = *scene_.answer.times;
  const TaskTimes& task = times.tasks[of.row.task];
  return tr("%1, program %2\n%3 on %4\n%5 on %6\nGood: %7")
      .arg(taskTitle(task.task.name), shortName(task.programs[of.row.program]), ratioText(of.onA),
           qs(times.targets[scene_.a].id), ratioText(of.onB), qs(times.targets[scene_.b].id),
           travelText(of.row.travel));
}

void TravelPlot::choose(int point) {
  const TravelRow& row = points_[static_cast<std::size_t>(point)].row;
  Q_EMIT picked(row.task, row.program);
}

bool TravelPlot::walk(int step) {
  if (points_.empty()) return false;
  const TravelRow& row =
      neighbour(points_, scene_.chosen.value_or(TravelRow{~std::size_t{0}, 0, {}, {}}), step,
                WalkFrom::First, &Point::row)
          .row;
  Q_EMIT picked(row.task, row.program);
  return true;
}

} // namespace nestwright::ui

#include "moc_travel_plot.cpp"
