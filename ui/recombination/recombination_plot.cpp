#include "ui/recombination/recombination_plot.h"

#include "core/record/rows/recombination_row.h"
#include "ui/charts/axis_tickers.h"
#include "ui/charts/axis_tip.h"
#include "ui/kit/colours.h"
#include "ui/kit/text.h"
#include "ui/recombination/recombination_control.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright::ui {
namespace {

constexpr double kGrabPixels = 8;  // how near the mouse must come
constexpr double kNoiseFactor = 2; // of the standard deviation: the band holds 95 % of the noise
constexpr int kMostTasksListed = 8;

QString signedPercent(double fraction) {
  return (fraction > 0 ? QStringLiteral("+") : QString()) + percentText(fraction);
}

} // namespace

RecombinationPlot::RecombinationPlot(const RecombinationControl& control, QWidget* parent)
    : Chart(parent, tr("End-to-end latency against samples"),
            tr("Left and right step through the samples; the table shows what the marked one is "
               "made of."),
            QSize(240, 140)),
      control_(control) {
  build();
  connect(&control, &RecombinationControl::changed, this, &RecombinationPlot::refresh);
  restyle();
}

void RecombinationPlot::build() {
  setUpPlot(*this);
  setPlottingHint(QCP::phFastPolylines, false); // would break the steps at their corners
  yAxis2->setRange(0, 1); // failures have no latency; they are marked along the bottom
  const auto steps = [this] {
    QCPGraph* graph = addGraph();
    graph->setLineStyle(QCPGraph::lsStepLeft);
    graph->setPen(Qt::NoPen);
    return graph;
  };
  const auto scatter = [this](QCPAxis* y) {
    QCPGraph* graph = addGraph(xAxis, y);
    graph->setLineStyle(QCPGraph::lsNone);
    return graph;
  };
  baseLow_ = steps(), baseHigh_ = steps(), bandLow_ = steps(), bandHigh_ = steps();
  baseHigh_->setChannelFillGraph(baseLow_);
  bandHigh_->setChannelFillGraph(bandLow_);
  failed_ = scatter(yAxis2);
  dots_ = scatter(yAxis), drift_ = scatter(yAxis);
  baseline_ = addGraph();
  best_ = steps();
  winner_ = scatter(yAxis), ring_ = scatter(yAxis);
  for (auto** label : {&baselineLabel_, &bestLabel_})
    *label = new QCPItemText(this);
  for (auto* label : {baselineLabel_, bestLabel_}) {
    label->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
    label->setPadding(QMargins(3, 0, 3, 1));
    label->setLayer(QStringLiteral("overlay"));
  }
}

void RecombinationPlot::restyle() {
  const Colours& c = colours();
  Chart::restyle();
  xAxis->setTicker(QSharedPointer<CountTicker>::create());
  explainAxis(*xAxis, tr("combinations measured"),
              tr("How many random combinations of the tasks' best programs were built into the "
                 "whole network and measured, in their order."));
  yAxis->setNumberPrecision(5);
  using Shape = QCPScatterStyle;
  dots_->setScatterStyle(Shape(Shape::ssDisc, QPen(faded(c.series[0], 150), 0), Qt::NoBrush, 5));
  drift_->setScatterStyle(Shape(Shape::ssDiamond, QPen(c.dim, 1.3), QBrush(c.base), 7));
  failed_->setScatterStyle(Shape(Shape::ssCross, QPen(c.failed, 1.4), Qt::NoBrush, 6));
  winner_->setScatterStyle(Shape(Shape::ssStar, QPen(c.accent, 2), Qt::NoBrush, 12));
  ring_->setScatterStyle(Shape(Shape::ssCircle, QPen(c.text, 1.6), Qt::NoBrush, 11));
  baseline_->setPen(QPen(c.dim, 1.2, Qt::DashLine));
  best_->setPen(QPen(c.accent, 2.4));
  baseHigh_->setBrush(faded(c.dim, 34));
  bandHigh_->setBrush(faded(c.accent, 52));
  for (auto* label : {baselineLabel_, bestLabel_}) {
    styleText(*label);
    label->setBrush(faded(c.base, 190));
  }
  bestLabel_->setColor(c.accent);
  refresh();
}

double RecombinationPlot::scaled(double seconds) const {
  constexpr double kPerSecond[] = {1e6, 1e3, 1};
  return seconds * kPerSecond[static_cast<int>(unit_)];
}

double RecombinationPlot::xOf(int sample) const {
  return x_[static_cast<std::size_t>(sample)];
}

void RecombinationPlot::setBand(QCPGraph* low, QCPGraph* high, const QVector<double>& x,
                                const QVector<double>& y) {
  const double half = kNoiseFactor * scaled(control_.recombination().summary.noiseSeconds);
  QVector<double> below, above;
  for (const double value : y) {
    below.append(std::max(0.0, value - half));
    above.append(value + half);
  }
  low->setData(x, below, true);
  high->setData(x, above, true);
}

void RecombinationPlot::refresh() {
  const std::vector<SampleRow>& samples = control_.recombination().samples;
  const RecombinationSummary& summary = control_.recombination().summary;
  if (std::isfinite(summary.baselineSeconds))
    unit_ = columnUnit(std::span(&summary.baselineSeconds, 1));
  explainAxis(*yAxis, tr("latency end to end, %1").arg(unitSymbol(unit_)),
              tr("Time of one run of the whole network, measured, not the sum of its tasks. "
                 "Lower is better."));
  x_.clear();
  QVector<double> dotX, dotY, driftX, driftY, failedX, bestX, bestY;
  double best = std::numeric_limits<double>::infinity();
  int drawn = 0;
  for (const SampleRow& sample : samples) {
    const double seconds = secondsOf(sample), y = scaled(seconds);
    drawn += !isBaseline(sample);
    x_.push_back(drawn);
    if (!std::isfinite(seconds)) {
      failedX.append(drawn);
      continue;
    }
    (isBaseline(sample) ? driftX : dotX).append(drawn);
    (isBaseline(sample) ? driftY : dotY).append(y);
    // The bests count with the median over all times that they were measured, as the line does.
    best = std::min(best, isBaseline(sample) ? scaled(summary.baselineSeconds) : y);
    bestX.append(drawn);
    bestY.append(best);
  }
  dots_->setData(dotX, dotY, true);
  drift_->setData(driftX, driftY, true);
  failed_->setData(failedX, QVector<double>(failedX.size(), 0.02), true);
  const double end = std::max(
      {10.0,
       control_.recombination().exists() ? double(control_.recombination().config.samples) : 0.0,
       double(drawn)});
  xAxis->setRange(-0.01 * end, end * 1.015);
  if (!bestX.isEmpty()) bestX.append(drawn), bestY.append(best);
  best_->setData(bestX, bestY, true);
  setBand(bandLow_, bandHigh_, bestX, bestY);
  const bool any = std::isfinite(summary.baselineSeconds);
  const QVector<double> baseX = any ? QVector<double>{0, end} : QVector<double>{};
  const QVector<double> baseY(baseX.size(), scaled(summary.baselineSeconds));
  baseline_->setData(baseX, baseY, true);
  setBand(baseLow_, baseHigh_, baseX, baseY);
  fitAxes();
  placeLabels();
  mark(marked_);
}

void RecombinationPlot::fitAxes() {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const QCPGraph* graph : {dots_, drift_, bandLow_, bandHigh_, baseLow_, baseHigh_})
    for (const QCPGraphData& point : *graph->data()) {
      low = std::min(low, point.value);
      high = std::max(high, point.value);
    }
  if (!(high > low)) low = 0.95 * high, high = std::max(1.05 * high, 1.0);
  // Differences of a few per cent are what this is about: the axis need not begin at zero.
  const double margin = 0.10 * (high - low);
  yAxis->setRange(std::max(0.0, low - margin), high + 1.4 * margin);
}

void RecombinationPlot::placeLabels() {
  const RecombinationSummary& summary = control_.recombination().summary;
  const bool any = std::isfinite(summary.baselineSeconds);
  baselineLabel_->setVisible(any);
  bestLabel_->setVisible(any && summary.fastest &&
                         summary.fastestSeconds < summary.baselineSeconds);
  if (any) {
    baselineLabel_->position->setCoords(xAxis->range().upper, scaled(summary.baselineSeconds));
    baselineLabel_->setText(tr("per-task bests  %1").arg(timeText(summary.baselineSeconds)));
  }
  if (bestLabel_->visible()) {
    bestLabel_->setPositionAlignment(Qt::AlignRight | Qt::AlignTop);
    bestLabel_->position->setCoords(xAxis->range().upper, scaled(summary.fastestSeconds));
    const double gain = summary.fastestSeconds / summary.baselineSeconds - 1;
    bestLabel_->setText((summary.winner ? tr("winner  %1 (%2)") : tr("fastest  %1 (%2)"))
                            .arg(timeText(summary.fastestSeconds), signedPercent(gain)));
  }
  message_->setVisible(control_.recombination().samples.empty());
  QString text = tr("No combinations measured yet. Start measures random combinations of each "
                    "task's\nfastest programs end to end: those that are fastest alone need not be "
                    "fastest together.");
  if (const QString obstacle = control_.obstacle(); !obstacle.isEmpty()) text = obstacle;
  if (control_.recombination().isRunning() || control_.isPending())
    text = control_.recombination().phase.empty() ? tr("Compiling the per-task bests …")
                                                  : qs(control_.recombination().phase);
  if (control_.isLoading()) text = tr("Reading …");
  message_->setText(text);
}

void RecombinationPlot::mark(int sample) {
  marked_ = sample;
  const auto point = [&](QCPGraph* graph, std::optional<int> number) {
    const bool drawn = number && *number >= 0 && *number < static_cast<int>(x_.size());
    const double seconds =
        drawn ? secondsOf(control_.recombination().samples[static_cast<std::size_t>(*number)]) : 0;
    if (drawn && std::isfinite(seconds))
      graph->setData({xOf(*number)}, {scaled(seconds)}, true);
    else
      graph->setData({}, {}, true);
  };
  point(ring_, sample);
  point(winner_, control_.recombination().summary.winner);
  replot(QCustomPlot::rpQueuedReplot);
}

// --- the mouse and the keyboard

QPointF RecombinationPlot::positionOf(int sample) const {
  const double seconds =
      secondsOf(control_.recombination().samples[static_cast<std::size_t>(sample)]);
  return {xAxis->coordToPixel(xOf(sample)), std::isfinite(seconds)
                                                ? yAxis->coordToPixel(scaled(seconds))
                                                : yAxis2->coordToPixel(0.02)};
}

std::optional<int> RecombinationPlot::pointAt(const QPointF& position) const {
  return nearestPoint(x_.size(), kGrabPixels, [&](std::size_t sample) {
    const QPointF offset = positionOf(static_cast<int>(sample)) - position;
    return std::hypot(offset.x(), offset.y());
  });
}

QString RecombinationPlot::describe(int sample) const {
  const SampleRow& row = control_.recombination().samples[static_cast<std::size_t>(sample)];
  const double seconds = secondsOf(row);
  QString text = isBaseline(row) ? tr("Per-task bests") : tr("Sample %1").arg(sample);
  if (!std::isfinite(seconds))
    return text + QStringLiteral("\n%1: %2")
                      .arg(qs(nestwright::name(row.verdict)), qs(row.error).section('\n', 0, 0));
  text += QStringLiteral("\n%1").arg(timeText(seconds));
  if (!isBaseline(row))
    text += tr(", %1 to the bests")
                .arg(signedPercent(seconds / control_.recombination().summary.baselineSeconds - 1));
  int listed = 0, others = 0;
  for (std::size_t i = 0; i < row.choice.size(); ++i) {
    if (row.choice[i] == 0) continue;
    const TaskCandidates& task = control_.recombination().state.candidates[i];
    if (listed++ < kMostTasksListed)
      text += tr("\n%1: %2 of %3")
                  .arg(taskTitle(task.name))
                  .arg(row.choice[i] + 1)
                  .arg(task.programs.size());
    else
      ++others;
  }
  if (others > 0) text += tr("\n… and %1 more").arg(others);
  return text;
}

void RecombinationPlot::choose(int sample) {
  Q_EMIT picked(sample);
}

bool RecombinationPlot::walk(int step) {
  if (x_.empty()) return false;
  Q_EMIT picked(std::clamp(marked_ + step, 0, static_cast<int>(x_.size()) - 1));
  return true;
}

} // namespace nestwright::ui

#include "moc_recombination_plot.cpp"
