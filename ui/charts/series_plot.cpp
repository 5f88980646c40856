#include "ui/charts/series_plot.h"

#include "ui/charts/axis_tickers.h"
#include "ui/charts/axis_tip.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/theme.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr double kBarWidth = 0.7; // of the way from a round to the next

QColor seriesColour(int index) {
  return index < 0 ? colours().dim : colours().series[static_cast<std::size_t>(index)];
}

/// The last number that is one; NaN without.
double endOf(const std::vector<double>& values) {
  for (std::size_t i = values.size(); i-- > 0;)
    if (std::isfinite(values[i])) return values[i];
  return std::nan("");
}

} // namespace

SeriesPlot::SeriesPlot(QWidget* parent, const QString& name)
    : Chart(parent, name,
            tr("Left and right walk through it. The same numbers are in the table that Export and "
               "Copy as Table give."),
            QSize(220, 110)),
      labels_(*this), here_(new QCPItemLine(this)) {
  setUpPlot(*this);
  xAxis->setTicker(QSharedPointer<CountTicker>::create());
  here_->start->setTypeY(QCPItemPosition::ptAxisRectRatio);
  here_->end->setTypeY(QCPItemPosition::ptAxisRectRatio);
  restyle();
}

void SeriesPlot::restyle() {
  Chart::restyle();
  here_->setPen(QPen(faded(colours().accent, 150), 1.5));
  refresh();
}

void SeriesPlot::show(SeriesScene scene) {
  scene_ = std::move(scene);
  readout_->hide();
  refresh();
}

void SeriesPlot::clearDrawn() {
  labels_.deleteAll();
  names_.clear();
  for (QCPAbstractItem* item : std::exchange(items_, {}))
    removeItem(item);
  clearPlottables();
}

void SeriesPlot::refresh() {
  clearDrawn();
  const bool some = scene_.message.isEmpty();
  message_->setText(scene_.message);
  showMessageInstead(!some);
  explainAxis(*xAxis, scene_.xLabel, scene_.xTip);
  explainAxis(*yAxis, scene_.yLabel, scene_.yTip);
  // Before there is a scene there is nothing to read off them.
  xAxis->setVisible(!scene_.xLabel.isEmpty());
  yAxis->setVisible(!scene_.yLabel.isEmpty());
  here_->setVisible(some && scene_.marked >= 0);
  if (some) {
    fit();
    for (const PlotReference& reference : scene_.references)
      drawReference(reference);
    for (const PlotSeries& series : scene_.series)
      drawSeries(series);
    here_->start->setCoords(scene_.marked, 0);
    here_->end->setCoords(scene_.marked, 1);
  }
  int width = 0;
  for (const QCPItemText* name : names_)
    width = std::max(width, QFontMetrics(name->font()).horizontalAdvance(name->text()));
  const int right = width > 0 ? width + 14 : 18;
  axisRect()->setMargins(QMargins(0, 10, right, 0));
  axisRect()->setMinimumMargins(QMargins(52, 10, right, 30));
  replot(QCustomPlot::rpQueuedReplot);
}

/// To all numbers that are ones.
void SeriesPlot::fit() {
  double low = std::numeric_limits<double>::infinity(), high = -low, first = low, last = -low;
  const auto see = [&](double y) {
    if (std::isfinite(y)) low = std::min(low, y), high = std::max(high, y);
  };
  for (const PlotSeries& series : scene_.series) {
    std::ranges::for_each(series.y, see);
    std::ranges::for_each(series.upper, see);
    for (const double x : series.x)
      first = std::min(first, x), last = std::max(last, x);
  }
  for (const PlotReference& reference : scene_.references)
    see(reference.y);
  if (scene_.yLow != scene_.yHigh) see(scene_.yLow), see(scene_.yHigh);
  if (low > high) low = 0, high = 1;
  if (first > last) first = 0, last = 1;
  const double margin = high > low ? 0.06 * (high - low) : std::max(1e-9, std::abs(high) * 0.1);
  yAxis->setRange(low - margin, high + margin);
  const double side = std::max(last > first ? 0 : 0.5, 0.02 * (last - first));
  const bool bars = std::ranges::any_of(scene_.series, [](const PlotSeries& series) {
    return series.shape == PlotSeries::Shape::Bars;
  });
  xAxis->setRange(first - std::max(side, bars ? 0.5 : 0), last + std::max(side, bars ? 0.5 : 0));
}

void SeriesPlot::drawSeries(const PlotSeries& series) {
  const QColor colour = seriesColour(series.colour);
  const double side = 5 * Theme::instance().zoom();
  const QVector<double> x = plotted(series.x), y = plotted(series.y);
  if (series.shape == PlotSeries::Shape::Bars) {
    auto* bars = new QCPBars(xAxis, yAxis);
    bars->setWidth(kBarWidth);
    bars->setPen(Qt::NoPen);
    bars->setBrush(faded(colour, 90));
    bars->setData(x, y, true);
    return nameEnd(series, endOf(series.y), colour);
  }
  QCPGraph* graph = addGraph();
  graph->setData(x, y, true);
  if (series.shape == PlotSeries::Shape::Band) {
    QCPGraph* upper = addGraph();
    upper->setData(x, plotted(series.upper), true);
    for (QCPGraph* edge : {graph, upper})
      edge->setPen(QPen(faded(colour, series.faint ? 80 : 110), 1));
    upper->setBrush(faded(colour, series.faint ? 24 : 50));
    upper->setChannelFillGraph(graph);
    return nameEnd(series, endOf(series.upper), colour);
  }
  if (series.shape == PlotSeries::Shape::Dots) {
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(faded(colour, 150), 1.2),
                                           QBrush(faded(colour, 60)), side));
  } else {
    graph->setLineStyle(series.shape == PlotSeries::Shape::Step ? QCPGraph::lsStepLeft
                                                                : QCPGraph::lsLine);
    graph->setPen(QPen(colour, 2.2, series.style));
    // A single number is no line.
    if (series.x.size() == 1)
      graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, side * 1.2));
  }
  nameEnd(series, endOf(series.y), colour);
}

void SeriesPlot::nameEnd(const PlotSeries& series, double end, const QColor& colour) {
  if (series.name.isEmpty() || !std::isfinite(end)) return;
  auto* name = new QCPItemText(this);
  name->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  name->setClipToAxisRect(false);
  name->setPadding(QMargins(6, 0, 0, 0));
  name->setFont(smallFont());
  name->setColor(colour);
  name->setText(series.name);
  name->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
  labels_.place(name, 1, end);
  names_.push_back(name);
}

void SeriesPlot::drawReference(const PlotReference& reference) {
  auto* line = new QCPItemLine(this);
  for (QCPItemPosition* end : {line->start, line->end})
    end->setTypeX(QCPItemPosition::ptAxisRectRatio);
  line->start->setCoords(0, reference.y);
  line->end->setCoords(1, reference.y);
  line->setPen(QPen(seriesColour(reference.colour), 1, Qt::DotLine));
  auto* text = new QCPItemText(this);
  styleText(*text);
  text->setColor(seriesColour(reference.colour));
  text->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
  text->setPositionAlignment(Qt::AlignLeft | Qt::AlignBottom);
  text->setPadding(QMargins(4, 0, 0, 1));
  text->setText(reference.text);
  text->position->setCoords(0, reference.y);
  items_.push_back(line);
  items_.push_back(text);
}

// --- the mouse and the keyboard

std::optional<int> SeriesPlot::pointAt(const QPointF& pixel) const {
  if (scene_.stops.empty() || !axisRect()->rect().contains(pixel.toPoint())) return std::nullopt;
  const auto nearest = std::ranges::min_element(
      scene_.stops, {}, [&](double x) { return std::abs(pixelOf(x) - pixel.x()); });
  return static_cast<int>(nearest - scene_.stops.begin());
}

QString SeriesPlot::describe(int stop) const {
  return scene_.describe ? scene_.describe(scene_.stops[static_cast<std::size_t>(stop)])
                         : QString();
}

void SeriesPlot::choose(int stop) {
  Q_EMIT picked(scene_.stops[static_cast<std::size_t>(stop)]);
}

bool SeriesPlot::walk(int step) {
  if (scene_.stops.empty()) return false;
  Q_EMIT picked(neighbour(scene_.stops, scene_.marked, step, WalkFrom::Last));
  return true;
}

} // namespace nestwright::ui

#include "moc_series_plot.cpp"
