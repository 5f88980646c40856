#include "ui/inspector/generation_plot.h"

#include "core/record/rows/evolution_row.h"
#include "ui/charts/axis_tip.h"
#include "ui/document/words/program_words.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <map>

namespace nestwright::ui {
namespace {

constexpr double kPointPixels = 12;

/// Told apart without colour too.
constexpr QCPScatterStyle::ScatterShape kShapes[] = {
    QCPScatterStyle::ssCircle,     QCPScatterStyle::ssDiamond, QCPScatterStyle::ssTriangle,
    QCPScatterStyle::ssSquare,     QCPScatterStyle::ssCross,   QCPScatterStyle::ssTriangleInverted,
    QCPScatterStyle::ssPlusCircle, QCPScatterStyle::ssStar,    QCPScatterStyle::ssPlus};
/// Kernels have the colour of parallel loops, which no program for a GPU has.
constexpr int kSeries[] = {5, 4, 0, 1, 3, 6, 1, 2, 7};
static_assert(std::size(kSeries) == kGenerationOrigins.size() &&
              std::size(kShapes) == kGenerationOrigins.size());

std::size_t originIndex(Origin origin) {
  const auto found = std::ranges::find(kGenerationOrigins, origin);
  return found == kGenerationOrigins.end()
             ? 0
             : static_cast<std::size_t>(found - kGenerationOrigins.begin());
}

} // namespace

GenerationPlot::GenerationPlot(QWidget* parent)
    : Chart(parent, tr("Programs of the generations by predicted score"), {}, QSize(220, 140)) {
  setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  spread_ = addGraph();
  spread_->removeFromLegend();
  for (const Origin origin : kGenerationOrigins) {
    QCPGraph* graph = addGraph();
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setName(qs(name(origin)));
    groups_.push_back(graph);
  }
  chosen_ = addGraph();
  chosen_->setLineStyle(QCPGraph::lsNone);
  chosen_->setName(tr("picked to be measured"));
  ring_ = addGraph();
  ring_->setLineStyle(QCPGraph::lsNone);
  ring_->removeFromLegend();
  putLegendAbove(*this);
  explainAxis(*yAxis, tr("predicted score, higher is better"),
              tr("What the cost model expects of the program: its throughput as a share of the "
                 "task's fastest. It only ranks programs, nothing was measured yet. Higher is "
                 "better."));
  restyle();
}

void GenerationPlot::restyle() {
  const Colours& c = colours();
  const double side = 7 * Theme::instance().zoom();
  Chart::restyle();
  styleLegend(*legend);
  legend->setRowSpacing(-2);
  spread_->setPen(QPen(c.faint, 1));
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const QColor colour = c.series[static_cast<std::size_t>(kSeries[i])];
    QColor fill = colour;
    fill.setAlpha(120);
    groups_[i]->setScatterStyle(QCPScatterStyle(kShapes[i], QPen(colour, 1.3), QBrush(fill), side));
  }
  chosen_->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(c.text, 1.2), Qt::NoBrush, side * 1.7));
  ring_->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(c.accent, 3), Qt::NoBrush, side * 2.3));
  refresh();
}

void GenerationPlot::show(const EvolvedRoundData* data) {
  data_ = data;
  selected_ = -1;
  generation_ = data ? std::clamp(generation_, 0,
                                  std::max(0, static_cast<int>(data->row.generations.size()) - 1))
                     : 0;
  refresh();
}

void GenerationPlot::setGeneration(int generation) {
  generation_ = generation;
  refresh();
}

void GenerationPlot::setLayout(Layout layout) {
  layout_ = layout;
  refresh();
}

void GenerationPlot::setSelected(int program) {
  selected_ = program;
  refresh();
}

/// Where each program stands: all generations, or the present one.
void GenerationPlot::place() {
  points_.clear();
  if (!data_) return;
  const auto& generations = data_->row.generations;
  for (std::size_t g = 0; g < generations.size(); ++g) {
    if (layout_ == Layout::ByRank && static_cast<int>(g) != generation_) continue;
    const double most = std::max(1, generations[g].distinct - 1);
    for (const EvolvedPlace& place : generations[g].places) {
      const double score = data_->row.programs[static_cast<std::size_t>(place.program)].score;
      if (!std::isfinite(score)) continue;
      // Best on the left of a generation's column, and the whole column within its half.
      const double x = layout_ == Layout::ByRank
                           ? place.rank + 1
                           : static_cast<double>(g) - 0.35 + 0.7 * std::sqrt(place.rank / most);
      points_.push_back({place.program, static_cast<int>(g), place.rank, x, score});
    }
  }
}

void GenerationPlot::refresh() {
  place();
  for (QCPGraph* graph : groups_)
    graph->data()->clear();
  for (QCPGraph* graph : {spread_, chosen_, ring_})
    graph->data()->clear();
  for (const Point& point : points_) {
    const EvolvedProgram& program = data_->row.programs[static_cast<std::size_t>(point.program)];
    groups_[originIndex(originFromName(program.operation))]->addData(point.x, point.y);
    if (program.selected) chosen_->addData(point.x, point.y);
    if (point.program == selected_) ring_->addData(point.x, point.y);
  }
  if (layout_ == Layout::ByRank && data_ && !data_->row.generations.empty()) {
    const EvolvedGeneration& generation =
        data_->row.generations[static_cast<std::size_t>(generation_)];
    const auto count = static_cast<double>(generation.quantiles.size());
    for (std::size_t i = 0; i < generation.quantiles.size(); ++i)
      spread_->addData(1 + static_cast<double>(i) * (generation.distinct - 1) /
                               std::max(1.0, count - 1),
                       generation.quantiles[i]);
  }
  const bool byRank = layout_ == Layout::ByRank;
  xAxis->setScaleType(byRank ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  xAxis->setTicker(byRank ? QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog)
                          : QSharedPointer<QCPAxisTicker>(new QCPAxisTickerFixed));
  explainAxis(*xAxis,
              byRank ? tr("rank in the generation, 1 is the best")
                     : tr("generation, 0 is the initial population"),
              byRank ? tr("Place of the program among the different ones of its generation, by "
                          "predicted score. Lower is better.")
                     : tr("How many times the population was crossed and mutated before; 0 is the "
                          "randomly sampled one."));
  fillLegend();
  double low = 0, high = 1, last = 1;
  if (!points_.empty()) {
    const auto [least, most] = std::ranges::minmax(points_, {}, &Point::y);
    low = least.y, high = most.y;
    last = std::ranges::max(points_, {}, &Point::x).x;
  }
  const double margin = std::max(1e-6, 0.06 * (high - low));
  yAxis->setRange(low - margin, high + margin);
  if (byRank)
    xAxis->setRange(0.8, last * 1.25);
  else
    xAxis->setRange(-0.5, std::max(0.5, std::ceil(last - 0.36) + 0.5));
  drawLineage();
  replot(rpQueuedReplot);
}

/// Where it would take much of the chart there is none: then the tool-tips of the points and the
/// column “Made by” of the family say what the signs mean.
void GenerationPlot::fillLegend() {
  constexpr double kMostOfHeight = 0.2;
  legend->clearItems();
  for (QCPGraph* graph : groups_)
    if (!graph->data()->isEmpty()) graph->addToLegend();
  if (!chosen_->data()->isEmpty()) chosen_->addToLegend();
  wrapLegend(*this);
  const int lines = (legend->itemCount() + legend->wrap() - 1) / std::max(1, legend->wrap());
  const int line = std::max(legend->iconSize().height(), QFontMetrics(legend->font()).height());
  if (lines * line > kMostOfHeight * height()) legend->clearItems();
  legend->setVisible(legend->itemCount() > 0);
}

void GenerationPlot::resizeEvent(QResizeEvent* event) {
  fillLegend();
  Chart::resizeEvent(event);
}

/// Lines from the selected program to its parents and theirs, as far as they are in sight.
void GenerationPlot::drawLineage() {
  for (QCPItemLine* line : lines_)
    removeItem(line);
  lines_.clear();
  if (!data_ || selected_ < 0) return;
  std::map<int, const Point*> places; // where each is seen first
  for (const Point& point : points_)
    places.try_emplace(point.program, &point);
  std::vector<int> open{selected_};
  std::vector<bool> seen(data_->row.programs.size(), false);
  while (!open.empty()) {
    const int child = open.back();
    open.pop_back();
    if (seen[static_cast<std::size_t>(child)]) continue;
    seen[static_cast<std::size_t>(child)] = true;
    const auto to = places.find(child);
    for (const std::string& name : data_->row.programs[static_cast<std::size_t>(child)].parents) {
      const int parent = data_->indexOf(name);
      if (parent < 0) continue;
      open.push_back(parent);
      const auto from = places.find(parent);
      if (from == places.end() || to == places.end()) continue;
      auto* line = new QCPItemLine(this);
      line->start->setCoords(from->second->x, from->second->y);
      line->end->setCoords(to->second->x, to->second->y);
      line->setPen(QPen(colours().accent, 1.4));
      line->setHead(QCPLineEnding(QCPLineEnding::esSpikeArrow, 7, 9));
      lines_.push_back(line);
    }
  }
}

int GenerationPlot::pointCount() const {
  return static_cast<int>(points_.size());
}

std::optional<QPointF> GenerationPlot::pixelOf(int program) const {
  for (const Point& point : points_)
    if (point.program == program)
      return QPointF(xAxis->coordToPixel(point.x), yAxis->coordToPixel(point.y));
  return std::nullopt;
}

std::optional<int> GenerationPlot::pointAt(const QPointF& pixel) const {
  return nearestPoint(points_.size(), kPointPixels, [&](std::size_t point) {
    return std::hypot(xAxis->coordToPixel(points_[point].x) - pixel.x(),
                      yAxis->coordToPixel(points_[point].y) - pixel.y());
  });
}

QString GenerationPlot::describe(int number) const {
  const Point& point = points_[static_cast<std::size_t>(number)];
  const EvolvedProgram& program = data_->row.programs[static_cast<std::size_t>(point.program)];
  const MeasuredTime& time = data_->measured[static_cast<std::size_t>(point.program)];
  QString text = tr("Program %1, rank %2 in generation %3\nPredicted score %4\n%5: %6")
                     .arg(shortName(program.program))
                     .arg(point.rank + 1)
                     .arg(point.generation)
                     .arg(program.score, 0, 'f', 3)
                     .arg(qs(program.operation), originInWords(originFromName(program.operation)));
  if (program.born < point.generation)
    text += tr("\nSurvived from generation %1").arg(program.born);
  if (program.selected) text += tr("\nAmong the best of the round: picked to be measured");
  if (time.record)
    text += std::isfinite(time.seconds) ? tr("\nMeasured: %1").arg(timeText(time.seconds))
                                        : tr("\nMeasured: it failed");
  return text;
}

/// The plot may be too low for what there is to tell.
void GenerationPlot::tell(const QPointF& position, const QString& text) {
  QToolTip::showText(mapToGlobal(position.toPoint()), text, this);
}

/// Pressed, not clicked: who drags from a point does not move the axes.
void GenerationPlot::mousePressEvent(QMouseEvent* event) {
  const std::optional<int> point = pointAt(event->position());
  if (event->button() == Qt::LeftButton && point)
    Q_EMIT picked(points_[static_cast<std::size_t>(*point)].program);
  else
    QCustomPlot::mousePressEvent(event);
}

/// Through the ranks of what is shown.
bool GenerationPlot::walk(int step) {
  if (points_.empty()) return false;
  Q_EMIT picked(neighbour(points_, selected_, step, WalkFrom::First, &Point::program).program);
  return true;
}

} // namespace nestwright::ui

#include "moc_generation_plot.cpp"
