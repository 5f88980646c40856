#include "ui/scheduler/allocation_plot.h"

#include "ui/charts/axis_tickers.h"
#include "ui/charts/axis_tip.h"
#include "ui/charts/curve_axes.h"
#include "ui/document/document.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace nestwright::ui {
namespace {

constexpr int kRefreshMilliseconds = 250;
constexpr int kSamples = 240;

/// Tasks whose colours differ; more lie together in one neutral area.
bool hasColour(int rank) {
  return rank >= 0 && rank < static_cast<int>(colours().series.size());
}

} // namespace

AllocationPlot::AllocationPlot(Document& document, QWidget* parent)
    : Chart(parent, tr("Trials given to each task"),
            tr("Up and down select the task of the area above or below. Show as Table gives the "
               "numbers."),
            QSize(240, 120)),
      document_(document) {
  setUpPlot(*this);
  refreshTimer_.setSingleShot(true);
  connect(&refreshTimer_, &QTimer::timeout, this, &AllocationPlot::refresh);
  connect(&document, &Document::stateChanged, this, &AllocationPlot::schedule);
  connect(&document.follower(), &SessionFollower::historyChanged, this, &AllocationPlot::schedule);
  connect(&document.selection(), &SharedSelection::changed, this, [this] {
    dirty_ = true;
    if (isVisible()) refresh();
  });
  restyle();
}

void AllocationPlot::setAxis(XAxis x) {
  x_ = x;
  restyle();
}

void AllocationPlot::setShare(bool share) {
  share_ = share;
  restyle();
}

void AllocationPlot::schedule() {
  dirty_ = true;
  if (isVisible() && !refreshTimer_.isActive()) refreshTimer_.start(kRefreshMilliseconds);
}

void AllocationPlot::refreshNow() {
  dirty_ = true;
  refresh();
}

void AllocationPlot::showEvent(QShowEvent* event) {
  Chart::showEvent(event);
  refresh();
}

void AllocationPlot::restyle() {
  Chart::restyle();
  yAxis->setTicker(QSharedPointer<CountTicker>::create());
  if (x_ == XAxis::Trials)
    xAxis->setTicker(QSharedPointer<CountTicker>::create());
  else
    xAxis->setTicker(QSharedPointer<TimeTicker>::create());
  explainAxis(*xAxis, axisLabel(x_), axisMeaning(x_));
  explainAxis(*yAxis, share_ ? tr("share of the trials, %") : tr("trials given"),
              share_ ? tr("Share of all trials so far that each task was given, in percent. The "
                          "height of a band is the task's; neither more nor less is better.")
                     : tr("Trials that each task was given so far, one above the other; the upper "
                          "edge is their sum. Neither more nor less is better."));
  dirty_ = true;
  if (isVisible()) refresh();
}

void AllocationPlot::refresh() {
  refreshTimer_.stop();
  if (!std::exchange(dirty_, false)) return;
  std::vector<AllocationTask> tasks;
  tasks.reserve(document_.session().tasks().size());
  for (const TaskEntry& task : document_.session().tasks()) {
    const bool selected = task.row.id == document_.selection().current().task;
    tasks.push_back({task.row.id, task.rank, hasColour(task.rank) || selected});
  }
  // The largest task on the ground, where its edge is level; the others are one band.
  const auto others =
      std::partition(tasks.begin(), tasks.end(), std::mem_fn(&AllocationTask::alone));
  std::ranges::sort(tasks.begin(), others, {}, &AllocationTask::rank);
  shown_ = allocation(document_.session().history(), tasks, x_, share_, kSamples);
  drawBands();
  drawLabels();
  message_->setVisible(shown_.trials == 0);
  message_->setText(document_.session().historyLoading()
                        ? tr("Reading the trials …")
                        : tr("No trials yet. Start the session to see who "
                             "gets them."));
  replot(QCustomPlot::rpQueuedReplot);
}

QCPGraph* AllocationPlot::bandGraph(std::size_t index) {
  while (graphs_.size() <= index) {
    QCPGraph* graph = addGraph();
    graph->setAntialiased(true);
    if (!graphs_.empty()) graph->setChannelFillGraph(graphs_.back());
    graphs_.push_back(graph);
  }
  return graphs_[index];
}

void AllocationPlot::drawBands() {
  const Colours& c = colours();
  const RowId selected = document_.selection().current().task;
  for (std::size_t i = 0; i < shown_.bands.size(); ++i) {
    const AllocationBand& band = shown_.bands[i];
    QCPGraph* graph = bandGraph(i);
    QColor colour = band.task == 0 ? c.faint : hasColour(band.rank) ? c.task(band.rank) : c.accent;
    colour.setAlpha(selected && band.task != selected ? 90 : 190);
    graph->setData(plotted(shown_.x), plotted(band.top), true);
    graph->setBrush(colour);
    // A seam in the colour of the ground keeps neighbours apart without their colours.
    graph->setPen(QPen(c.base, 1.2));
    graph->setVisible(true);
  }
  for (std::size_t i = shown_.bands.size(); i < graphs_.size(); ++i) {
    graphs_[i]->data()->clear();
    graphs_[i]->setVisible(false);
  }
  const double last = shown_.x.empty() ? 10 : shown_.x.back();
  xAxis->setRange(0, last);
  const double high = shown_.bands.empty() ? 10 : shown_.bands.back().top.back();
  yAxis->setRange(0, share_ ? 100 : std::max(1.0, high * 1.04));
}

QString AllocationPlot::bandName(const AllocationBand& band) const {
  if (band.task == 0)
    return band.tasks == 1 ? tr("one other task") : tr("%1 other tasks").arg(band.tasks);
  const TaskEntry* task = document_.session().task(band.task);
  return task ? QStringLiteral("T%1 %2").arg(task->row.index).arg(taskTitle(task->row.name))
              : QString();
}

ExportTable AllocationPlot::table() const {
  QStringList headers{axisLabel(x_)};
  for (const AllocationBand& band : shown_.bands)
    headers.append(share_ ? tr("%1, %").arg(bandName(band)) : bandName(band));
  std::vector<QStringList> rows;
  for (std::size_t i = 0; i < shown_.x.size(); ++i) {
    QStringList row{QString::number(shown_.x[i], 'g', 9)};
    double below = 0;
    for (const AllocationBand& band : shown_.bands) {
      row.append(QString::number(band.top[i] - below, 'g', 9));
      below = band.top[i];
    }
    rows.push_back(row);
  }
  return tableOfRows(headers, std::move(rows));
}

void AllocationPlot::drawLabels() {
  for (QCPItemText* label : labels_)
    label->setVisible(false);
  const double least = QFontMetricsF(smallFont()).height() + 2;
  for (std::size_t i = 0; i < shown_.bands.size(); ++i) {
    const AllocationBand& band = shown_.bands[i];
    const double high = band.top.back(), low = i > 0 ? shown_.bands[i - 1].top.back() : 0;
    const double pixels = std::abs(yAxis->coordToPixel(high) - yAxis->coordToPixel(low));
    if (pixels < least) continue;
    while (labels_.size() <= i) {
      auto* label = new QCPItemText(this);
      label->setPositionAlignment(Qt::AlignRight | Qt::AlignVCenter);
      label->setPadding(QMargins(0, 0, 6, 0));
      labels_.push_back(label);
    }
    QCPItemText* label = labels_[i];
    label->setFont(smallFont());
    label->setColor(colours().text);
    label->setText(QStringLiteral("%1  %2").arg(bandName(band), countText(band.trials)));
    label->position->setCoords(shown_.x.back(), (high + low) / 2);
    label->setVisible(true);
  }
}

std::size_t AllocationPlot::bandOf(int point) const {
  return static_cast<std::size_t>(point) / shown_.x.size();
}

std::size_t AllocationPlot::sampleOf(int point) const {
  return static_cast<std::size_t>(point) % shown_.x.size();
}

std::optional<int> AllocationPlot::pointAt(const QPointF& position) const {
  if (shown_.x.empty() || !axisRect()->rect().contains(position.toPoint())) return std::nullopt;
  const double x = xAxis->pixelToCoord(position.x()), y = yAxis->pixelToCoord(position.y());
  const int last = static_cast<int>(shown_.x.size()) - 1;
  const int sample = std::clamp(static_cast<int>(std::lround(x / shown_.x.back() * last)), 0, last);
  if (y < 0) return std::nullopt;
  for (int band = 0; band < std::ssize(shown_.bands); ++band)
    if (y <= shown_.bands[band].top[sample]) return band * (last + 1) + sample;
  return std::nullopt;
}

QString AllocationPlot::describe(int point) const {
  const std::size_t index = bandOf(point), sample = sampleOf(point);
  const AllocationBand& band = shown_.bands[index];
  const double below = index > 0 ? shown_.bands[index - 1].top[sample] : 0;
  const double value = band.top[sample] - below;
  const double all = shown_.bands.back().top[sample];
  return tr("%1\n%2: %3")
      .arg(bandName(band), xText(shown_.x[sample], x_),
           share_
               ? percentText(value / 100)
               : tr("%1 trials, %2 of all")
                     .arg(countText(std::llround(value)), percentText(all > 0 ? value / all : 0)));
}

void AllocationPlot::choose(int point) {
  if (const RowId task = shown_.bands[bandOf(point)].task) document_.selection().selectTask(task);
}

bool AllocationPlot::walk(int step) {
  std::vector<RowId> tasks;
  for (const AllocationBand& band : shown_.bands)
    if (band.task != 0) tasks.push_back(band.task);
  if (tasks.empty()) return false;
  document_.selection().selectTask(
      neighbour(tasks, document_.selection().current().task, step, WalkFrom::First));
  return true;
}

void AllocationPlot::resizeEvent(QResizeEvent* event) {
  Chart::resizeEvent(event);
  schedule();
}

} // namespace nestwright::ui

#include "moc_allocation_plot.cpp"
