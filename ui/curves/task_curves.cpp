#include "ui/curves/task_curves.h"

#include "core/story/advice/progress_range.h"
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
#include "ui/kit/theme.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

constexpr int kEachRefreshMilliseconds = 250;
constexpr int kCellWidth = 230, kCellHeight = 120; // at least, at a zoom of 1

int scaled(int pixels) {
  return qRound(pixels * Theme::instance().zoom());
}

/// The tasks in whose kernels most time is spent now come first.
std::vector<const TaskEntry*> byShare(const std::vector<TaskEntry>& tasks) {
  std::vector<const TaskEntry*> order;
  for (const TaskEntry& task : tasks)
    order.push_back(&task);
  const auto seconds = [&tasks](const TaskEntry* task) {
    const TaskSummary& s = task->summary;
    if (!countsInTotal(tasks, *task)) return 0.0;
    return task->row.weight * (s.bestRecord != 0 ? s.bestSeconds : s.naiveSeconds);
  };
  std::ranges::stable_sort(order, std::greater(), seconds);
  if (order.size() > TaskCurves::kMost) order.resize(TaskCurves::kMost);
  return order;
}

} // namespace

TaskCurves::TaskCurves(Document& document, QWidget* parent)
    : Chart(parent, tr("Tuning curve of each task"),
            tr("Left and right walk through the tasks, largest share of time first."),
            QSize(kCellWidth, kCellHeight)),
      document_(document) {
  setUpPlot(*this);
  setAutoAddPlottableToLegend(false);
  timer_.setSingleShot(true);
  timer_.setInterval(kEachRefreshMilliseconds);
  connect(&timer_, &QTimer::timeout, this, &TaskCurves::refresh);
  connect(&document.follower(), &SessionFollower::historyChanged, this, &TaskCurves::schedule);
  connect(&document, &Document::stateChanged, this, &TaskCurves::schedule);
  connect(&document.selection(), &SharedSelection::changed, this, &TaskCurves::refresh);
  restyle();
}

void TaskCurves::setOptions(const CurveOptions& options) {
  options_ = options;
  refresh();
}

std::vector<RowId> TaskCurves::tasks() const {
  std::vector<RowId> tasks;
  for (const Cell& cell : cells_)
    tasks.push_back(cell.task);
  return tasks;
}

QString TaskCurves::titleOf(RowId task) const {
  const auto cell = std::ranges::find(cells_, task, &Cell::task);
  return cell == cells_.end() ? QString() : cell->words;
}

void TaskCurves::schedule() {
  if (!timer_.isActive()) timer_.start();
}

void TaskCurves::restyle() {
  Chart::restyle();
  explain(*axisRect());
  for (Cell& cell : cells_)
    styleCell(cell);
  refresh();
}

void TaskCurves::refresh() {
  if (!isVisible()) return;
  timer_.stop();
  const std::vector<const TaskEntry*> tasks = byShare(document_.session().tasks());
  layOut(tasks.size());
  options_.peakFlops = document_.session().contents().peakFlops;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    cells_[i].task = tasks[i]->row.id;
    if (const TaskHistory* history = document_.session().history().find(cells_[i].task))
      fill(cells_[i], *history);
  }
  showMessageInstead(tasks.empty());
  message_->setText(tr("No tasks yet."));
  fitTitles();
  replot();
}

/// As many cells as tasks, in as many columns as the width has room for.
void TaskCurves::layOut(std::size_t count) {
  const int columns = std::max(1, width() / scaled(kCellWidth));
  if (cells_.size() == count && columns_ == columns) return;
  columns_ = columns;
  while (cells_.size() < count)
    addCell();
  while (cells_.size() > count) {
    removeGraph(cells_.back().line);
    // The first area is the plot's own, with the axes that every chart has.
    plotLayout()->remove(cells_.back().title);
    if (cells_.size() > 1) plotLayout()->remove(cells_.back().area);
    cells_.pop_back();
  }
  for (Cell& cell : cells_) {
    plotLayout()->take(cell.title);
    plotLayout()->take(cell.area);
  }
  plotLayout()->simplify();
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const int row = static_cast<int>(i) / columns, column = static_cast<int>(i) % columns;
    plotLayout()->addElement(2 * row, column, cells_[i].title);
    plotLayout()->addElement(2 * row + 1, column, cells_[i].area);
  }
  const int rows = (static_cast<int>(count) + columns - 1) / columns;
  setMinimumHeight(std::max(1, rows) * scaled(kCellHeight));
}

void TaskCurves::addCell() {
  Cell cell;
  cell.area = cells_.empty() ? axisRect() : new QCPAxisRect(this);
  cell.title = new QCPTextElement(this, QString());
  cell.line = addGraph(cell.area->axis(QCPAxis::atBottom), cell.area->axis(QCPAxis::atLeft));
  cell.line->setLineStyle(QCPGraph::lsStepLeft);
  cell.area->axis(QCPAxis::atBottom)->setTicker(QSharedPointer<CountTicker>::create());
  for (const QCPAxis::AxisType side : {QCPAxis::atBottom, QCPAxis::atLeft})
    cell.area->axis(side)->ticker()->setTickCount(3);
  cells_.push_back(cell);
  styleCell(cells_.back());
}

void TaskCurves::styleCell(Cell& cell) {
  const Colours& c = colours();
  cell.title->setFont(smallFont());
  cell.title->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
  for (QCPAxis* axis : cell.area->axes({QCPAxis::atBottom | QCPAxis::atLeft})) {
    axis->setBasePen(QPen(c.line, 1));
    axis->setTickPen(QPen(c.line, 1));
    axis->setSubTickPen(Qt::NoPen);
    axis->setTickLabelColor(c.dim);
    axis->setTickLabelFont(smallFont());
    axis->grid()->setPen(QPen(c.line, 1, Qt::DotLine));
  }
}

/// The titles say the unit; the small axes have no room for it.
void TaskCurves::explain(QCPAxisRect& area) {
  const auto tip = [](const QString& label, const QString& meaning) {
    return label + QStringLiteral(". ") + meaning;
  };
  explainAxis(*area.axis(QCPAxis::atBottom), {},
              tip(axisLabel(options_.x), axisMeaning(options_.x)));
  explainAxis(*area.axis(QCPAxis::atLeft), {}, tip(axisLabel(options_.y), axisMeaning(options_.y)));
}

void TaskCurves::fill(Cell& cell, const TaskHistory& history) {
  const TaskEntry* entry = document_.session().task(cell.task);
  const bool selected = cell.task == document_.selection().current().task;
  const Curve curve = bestCurve(document_.session().history(), history, options_);
  cell.line->setData(plotted(curve.x), plotted(curve.y), true);
  cell.line->setPen(QPen(colours().task(entry->rank), selected ? 2.6 : 1.6));
  explain(*cell.area);
  cell.title->setTextColor(selected ? colours().text : colours().dim);
  cell.words = taskTitle(entry->row.name);
  QCPAxis* x = cell.area->axis(QCPAxis::atBottom);
  QCPAxis* y = cell.area->axis(QCPAxis::atLeft);
  x->setRange(0, std::max(options_.x == XAxis::Trials
                              ? double(document_.session().history().lastTrial())
                              : document_.session().history().lastWallSeconds(),
                          1.0));
  const std::optional<ProgressRange> range = progressRange(curve);
  if (!range) {
    cell.words += tr(" · no program yet");
    return;
  }
  cell.words += QStringLiteral(" · ") + yText(range->now, options_.y);
  if (std::abs(range->change()) >= 0.005)
    cell.words += QStringLiteral(" · ") + changeText(range->change());
  static constexpr double kLeast = 0.05, kRoom = 0.15; // less would make noise look like progress
  const double low = std::min({range->before, range->now, range->now * (1 - kLeast)});
  const double high = std::max({range->before, range->now, range->now * (1 + kLeast)});
  y->setRange(low - kRoom * (high - low), high + kRoom * (high - low));
}

/// The end of a title is what matters, and of a name what tells it apart.
void TaskCurves::fitTitles() {
  const QFontMetrics metrics(smallFont());
  const int room = width() / std::max(1, columns_) - 8;
  for (Cell& cell : cells_)
    cell.title->setText(metrics.elidedText(cell.words, Qt::ElideMiddle, room));
}

std::optional<int> TaskCurves::pointAt(const QPointF& position) const {
  for (std::size_t i = 0; i < cells_.size(); ++i)
    if (cells_[i].area->outerRect().contains(position.toPoint()) ||
        cells_[i].title->outerRect().contains(position.toPoint()))
      return static_cast<int>(i);
  return std::nullopt;
}

QString TaskCurves::describe(int cell) const {
  return cells_[static_cast<std::size_t>(cell)].words;
}

void TaskCurves::choose(int cell) {
  document_.selection().selectTask(cells_[static_cast<std::size_t>(cell)].task);
}

bool TaskCurves::walk(int step) {
  if (cells_.empty()) return false;
  document_.selection().selectTask(
      neighbour(cells_, document_.selection().current().task, step, WalkFrom::First, &Cell::task)
          .task);
  return true;
}

void TaskCurves::showEvent(QShowEvent* event) {
  Chart::showEvent(event);
  refresh();
}

void TaskCurves::resizeEvent(QResizeEvent* event) {
  Chart::resizeEvent(event);
  if (isVisible()) refresh();
}

} // namespace nestwright::ui

#include "moc_task_curves.cpp"
