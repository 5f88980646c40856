#include "core/story/curve_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace nestwright {
namespace {

double xOf(std::int64_t trial, double wallSeconds, XAxis x) {
  return x == XAxis::Trials ? static_cast<double>(trial) : wallSeconds;
}

double lastX(const TuningHistory& history, XAxis x) {
  return xOf(history.lastTrial(), history.lastWallSeconds(), x);
}

void append(Curve& curve, double x, double y) {
  if (!std::isfinite(y) || y <= 0) return;
  curve.x.push_back(x);
  curve.y.push_back(y);
}

/// Looking at this many trials takes a millisecond or two, well within a frame.
constexpr std::ptrdiff_t kMaxTrialsLookedAt = 100'000;

/// A step line ends where the session stands, not at its last step.
void prolong(Curve& curve, double x) {
  if (!curve.empty() && curve.x.back() < x) append(curve, x, double(curve.y.back()));
}

} // namespace

double yValue(double seconds, double flops, double naiveSeconds, const CurveOptions& options) {
  switch (options.y) {
  case YAxis::Latency:
    return seconds * 1e3;
  case YAxis::Throughput:
    return flops / seconds / 1e9;
  case YAxis::SpeedUp:
    return naiveSeconds > 0 ? naiveSeconds / seconds : 0;
  case YAxis::Peak:
    return options.peakFlops > 0 ? 100 * flops / seconds / options.peakFlops : 0;
  }
  return 0;
}

Curve bestCurve(const TuningHistory& history, const TaskHistory& task,
                const CurveOptions& options) {
  Curve curve;
  for (const BestPoint& best : task.bests)
    append(curve, xOf(best.trial, best.wallSeconds, options.x),
           yValue(best.seconds, task.flops, task.naiveSeconds, options));
  prolong(curve, lastX(history, options.x));
  return curve;
}

TotalCurve totalCurve(const TuningHistory& history, const CurveOptions& options) {
  TotalCurve curve;
  const double flops = history.totalFlops(), naive = history.naiveTotal();
  for (const TotalPoint& point : history.total()) {
    const double x = xOf(point.trial, point.wallSeconds, options.x);
    const double y = yValue(point.seconds, flops, std::isfinite(naive) ? naive : 0, options);
    if (point.complete) {
      // The incomplete part leads up to the first complete point without a gap.
      if (curve.complete.empty() && !curve.incomplete.empty()) append(curve.incomplete, x, y);
      append(curve.complete, x, y);
    } else {
      append(curve.incomplete, x, y);
    }
  }
  prolong(curve.complete.empty() ? curve.incomplete : curve.complete, lastX(history, options.x));
  return curve;
}

TotalCurve networkCurve(const TuningHistory& history, const SessionNetwork& network,
                        const CurveOptions& options) {
  // A history of the network's tasks alone; its improvements in the order of trials.
  std::vector<TaskRow> rows;
  std::vector<TaskSummary> summaries;
  std::vector<CurvePoint> points;
  std::map<RowId, std::vector<BestPoint>> inherited;
  for (const TaskWeight& weight : network.weights) {
    const TaskHistory* task = history.find(weight.task);
    if (!task) continue;
    TaskRow row;
    row.id = task->task, row.weight = weight.weight, row.flops = task->flops;
    rows.push_back(row);
    TaskSummary summary;
    summary.task = task->task, summary.naiveSeconds = task->naiveSeconds;
    summaries.push_back(summary);
    std::vector<BestPoint>& from = inherited[task->task];
    for (const BestPoint& best : task->bests)
      if (best.inherited)
        from.push_back(best);
      else
        points.push_back({best.trial, best.wallSeconds, best.seconds, task->task, best.record, true,
                          Verdict::Ok});
  }
  std::sort(points.begin(), points.end(),
            [](const CurvePoint& a, const CurvePoint& b) { return a.trial < b.trial; });
  TuningHistory part;
  part.reset(rows, summaries);
  for (const TaskRow& row : rows)
    part.relate(row.id, history.find(row.id)->definition);
  for (const auto& [task, bests] : inherited)
    part.inherit(task, bests);
  for (const CurvePoint& point : points)
    part.add(point);
  part.takeInherited(std::numeric_limits<RowId>::max());
  TotalCurve curve = totalCurve(part, options);
  prolong(curve.complete.empty() ? curve.incomplete : curve.complete, lastX(history, options.x));
  return curve;
}

Dots trialDots(const TaskHistory& task, const CurveOptions& options, double xLow, double xHigh,
               double yLow, double yHigh, int columns, int rows,
               const std::function<bool(RowId)>& listed) {
  Dots dots;
  if (columns < 1 || rows < 1 || !(xHigh > xLow) || !(yHigh > yLow)) return dots;
  const bool log = options.logarithmic && yLow > 0;
  const double low = log ? std::log(yLow) : yLow;
  const double rowsPer = rows / ((log ? std::log(yHigh) : yHigh) - low);
  const double columnsPer = columns / (xHigh - xLow);
  enum : char { Free, ByOther, ByListed };
  std::vector<char> taken(static_cast<std::size_t>(columns) * rows, Free);
  std::vector<char> errorTaken(columns, Free);
  /// Whether it is drawn: the first of a cell, and a listed one also over others.
  const auto take = [](char& cell, bool isListed) {
    const char by = isListed ? ByListed : ByOther;
    const bool drawn = by > cell;
    cell = std::max(cell, by);
    return drawn;
  };
  // Trials are ordered on both x axes. Of very many in sight every n-th is looked at.
  const auto before = [&](const TrialPoint& trial, double x) {
    return xOf(trial.trial, trial.wallSeconds, options.x) < x;
  };
  const auto first = std::lower_bound(task.trials.begin(), task.trials.end(), xLow, before);
  const auto last = std::lower_bound(first, task.trials.end(), xHigh, before);
  const std::ptrdiff_t stride = 1 + (last - first) / kMaxTrialsLookedAt;
  // Newest first: where two dots fall into one cell, the newer one is drawn.
  for (auto trial = last; trial - first >= stride;) {
    trial -= stride;
    const double x = xOf(trial->trial, trial->wallSeconds, options.x);
    const int column = std::clamp(static_cast<int>((x - xLow) * columnsPer), 0, columns - 1);
    const bool isListed = !listed || listed(trial->record);
    if (trial->verdict != Verdict::Ok) {
      if (take(errorTaken[std::size_t(column)], isListed))
        (isListed ? dots.errors : dots.otherErrors).push_back(x);
      continue;
    }
    const double y = yValue(trial->seconds, task.flops, task.naiveSeconds, options);
    if (!(y > 0) || y < yLow) continue;
    const auto row = static_cast<int>(((log ? std::log(y) : y) - low) * rowsPer);
    if (row >= rows) continue;
    if (take(taken[static_cast<std::size_t>(row) * columns + column], isListed))
      append(isListed ? dots.measured : dots.others, x, y);
  }
  for (std::vector<double>* values : {&dots.measured.x, &dots.measured.y, &dots.errors,
                                      &dots.others.x, &dots.others.y, &dots.otherErrors})
    std::reverse(values->begin(), values->end());
  return dots;
}

std::vector<double> trendOf(const TuningHistory& history, RowId task, int samples) {
  const TaskHistory* own = history.find(task);
  std::vector<double> trend;
  if (!own || own->bests.empty()) return trend;
  const auto last = static_cast<double>(history.lastTrial());
  std::size_t at = 0;
  for (int i = 1; i <= samples; ++i) {
    const double trial = last * i / samples;
    while (at + 1 < own->bests.size() && static_cast<double>(own->bests[at + 1].trial) <= trial)
      ++at;
    if (static_cast<double>(own->bests[at].trial) <= trial) trend.push_back(own->bests[at].seconds);
  }
  return trend;
}

} // namespace nestwright
