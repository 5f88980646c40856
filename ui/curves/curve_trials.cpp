#include "ui/curves/curve_trials.h"

#include "ui/charts/curve_axes.h"
#include "ui/charts/plot_style.h"
#include "ui/charts/point_fact.h"
#include "ui/charts/point_figures.h"
#include "ui/document/document.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

constexpr double kHitPixels = 6;
constexpr double kErrorHeight = 0.015; // of the plot

} // namespace

CurveTrials::CurveTrials(QCustomPlot& plot, Document& document) : plot_(plot), document_(document) {
  // Errors have no latency; they are marked along the bottom on an axis of their own.
  plot.yAxis2->setRange(0, 1);
  otherErrors_ = plot.addGraph(plot.xAxis, plot.yAxis2);
  errors_ = plot.addGraph(plot.xAxis, plot.yAxis2);
  others_ = plot.addGraph();
  dots_ = plot.addGraph();
  for (QCPGraph* graph : {errors_, otherErrors_, dots_, others_}) {
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setAntialiasedScatters(graph == errors_);
  }
}

void CurveTrials::restyle() {
  const Colours& c = colours();
  const TaskEntry* entry = document_.session().task(document_.selection().current().task);
  const QColor colour = c.task(entry ? entry->rank : -1);
  using Style = QCPScatterStyle;
  dots_->setScatterStyle(Style(Style::ssDisc, QPen(faded(colour, 120), 0), Qt::NoBrush, 4));
  others_->setScatterStyle(Style(Style::ssDisc, QPen(faded(c.dim, 90), 0), Qt::NoBrush, 3));
  otherErrors_->setScatterStyle(
      Style(Style::ssCross, QPen(faded(c.faint, 150), 1), Qt::NoBrush, 4));
  errors_->setScatterStyle(Style(Style::ssCross, QPen(c.failed, 1), Qt::NoBrush, 5));
}

const TaskHistory* CurveTrials::task() const {
  return document_.session().history().find(document_.selection().current().task);
}

void CurveTrials::refresh(const CurveOptions& options, const FilteredRecords& listed) {
  restyle();
  Dots dots;
  if (const TaskHistory* of = task(); of && options.showTrials) {
    const QCPRange x = plot_.xAxis->range(), y = plot_.yAxis->range();
    dots = trialDots(*of, options, x.lower, x.upper, y.lower, y.upper,
                     std::max(1, plot_.axisRect()->width() / 2),
                     std::max(1, plot_.axisRect()->height() / 2), listed.has);
  }
  dots_->setData(plotted(dots.measured.x), plotted(dots.measured.y), true);
  others_->setData(plotted(dots.others.x), plotted(dots.others.y), true);
  const auto mark = [](QCPGraph* graph, const std::vector<double>& at) {
    graph->setData(plotted(at), QVector<double>(std::ssize(at), kErrorHeight), true);
  };
  mark(errors_, dots.errors);
  mark(otherErrors_, dots.otherErrors);
}

QString CurveTrials::listedText(const CurveOptions& options, const FilteredRecords& listed) const {
  const TaskHistory* of = task();
  if (!listed.has || of == nullptr || !options.showTrials) return {};
  return tr("Listed by %1, others faint: %2.").arg(listed.filter, pointFigures(*of, listed));
}

std::optional<CurveTrials::Hit> CurveTrials::hitAt(const QPointF& position,
                                                   const CurveOptions& options) const {
  const TaskHistory* of = task();
  if (!of || !options.showTrials) return std::nullopt;
  const QCPAxis &xAxis = *plot_.xAxis, &yAxis = *plot_.yAxis;
  const auto xOf = [&](const TrialPoint& t) {
    return options.x == XAxis::Trials ? static_cast<double>(t.trial) : t.wallSeconds;
  };
  const double low = xAxis.pixelToCoord(position.x() - kHitPixels);
  const double high = xAxis.pixelToCoord(position.x() + kHitPixels);
  auto trial = std::lower_bound(of->trials.begin(), of->trials.end(), low,
                                [&](const TrialPoint& t, double x) { return xOf(t) < x; });
  const double errorY = plot_.yAxis2->coordToPixel(kErrorHeight);
  std::optional<Hit> best;
  double least = kHitPixels;
  // A few pixels of a long session can hold very many trials; the first of them will do.
  for (int looked = 0; trial != of->trials.end() && xOf(*trial) <= high && looked < 20'000;
       ++trial, ++looked) {
    const bool ok = trial->verdict == Verdict::Ok;
    const double y = ok ? yValue(trial->seconds, of->flops, of->naiveSeconds, options) : 0;
    const double dx = xAxis.coordToPixel(xOf(*trial)) - position.x();
    const double dy = (ok ? yAxis.coordToPixel(y) : errorY) - position.y();
    const double distance = std::hypot(dx, dy);
    if (distance > least || (best && distance == least)) continue;
    least = distance;
    best = Hit{of->task, trial->record, QPointF(xOf(*trial), y),
               tr("trial %1").arg(countText(trial->trial)) + QStringLiteral("\n") +
                   (ok ? yText(y, options.y) : qs(name(trial->verdict)))};
  }
  return best;
}

std::vector<FilterCondition> CurveTrials::conditionsOf(const QRect& area,
                                                       const CurveOptions& options) const {
  const QRect inside = area.intersected(plot_.axisRect()->rect());
  if (inside.isEmpty()) return {};
  const auto x = options.x == XAxis::Trials ? PointFact::Trial : PointFact::Wall;
  std::vector<FilterCondition> conditions{conditionOf(x, plot_.xAxis->pixelToCoord(inside.left()),
                                                      plot_.xAxis->pixelToCoord(inside.right()))};
  const TaskHistory* of = task();
  if (of == nullptr) return conditions;
  const double low = plot_.yAxis->pixelToCoord(inside.bottom()),
               high = plot_.yAxis->pixelToCoord(inside.top());
  const double perPeak = options.peakFlops / 100 / 1e9; // GFLOP/s of a per cent
  switch (options.y) {
  case YAxis::Latency:
    conditions.push_back(conditionOf(PointFact::Latency, low, high));
    break;
  case YAxis::SpeedUp: // the slower, the less
    if (of->naiveSeconds > 0 && low > 0)
      conditions.push_back(conditionOf(PointFact::Latency, of->naiveSeconds * 1e3 / high,
                                       of->naiveSeconds * 1e3 / low));
    break;
  case YAxis::Throughput:
    conditions.push_back(conditionOf(PointFact::Throughput, low, high));
    break;
  case YAxis::Peak:
    if (perPeak > 0)
      conditions.push_back(conditionOf(PointFact::Throughput, low * perPeak, high * perPeak));
    break;
  }
  return conditions;
}

} // namespace nestwright::ui
