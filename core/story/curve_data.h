#pragma once
/// \file From a tuning history to what a chart draws: which quantity lies on which axis, and which
/// of a million dots can be told apart on the screen. Pure functions.

#include "core/record/rows/session_row.h"
#include "core/story/tuning_history.h"

#include <functional>
#include <vector>

namespace nestwright {

enum class XAxis { Trials, WallTime };
/// Peak: share of the target's peak rate, an upper bound that no program reaches.
enum class YAxis { Latency, Throughput, SpeedUp, Peak };

struct CurveOptions {
  XAxis x = XAxis::Trials;
  YAxis y = YAxis::Latency;
  bool logarithmic = true;
  bool showTrials = true; // dots of the selected task
  bool showTasks = true;  // thin lines of all tasks
  bool showReferences = true;
  bool onlyProgress = true; // the range begins where the warm-up ends (progress_range.h)
  double peakFlops = 0;     // of the target, per second; for YAxis::Peak
};

/// A step line: y[i] holds from x[i] on.
struct Curve {
  std::vector<double> x, y;
  bool empty() const { return x.empty(); }
};

/// Best so far of one task, prolonged to the session's last trial.
Curve bestCurve(const TuningHistory& history, const TaskHistory& task, const CurveOptions& options);

/// The weighted total; `incomplete` holds the part where some task still counts with its naive
/// program.
struct TotalCurve {
  Curve complete, incomplete;
};
TotalCurve totalCurve(const TuningHistory& history, const CurveOptions& options);

/// The selected task's trials: measured ones as (x, y), errors as x only.
struct Dots {
  Curve measured;
  std::vector<double> errors;
  // Those of records that are not listed.
  Curve others;
  std::vector<double> otherErrors;
};
/// At most one dot in each cell of a grid of `columns` × `rows` over the visible range, so that the
/// cost of drawing is bounded by the screen and not by the number of trials. `rows` cells are
/// spaced as the axis is (logarithmic or not). A listed record's dot comes before others; all are
/// listed where the function is null.
Dots trialDots(const TaskHistory& task, const CurveOptions& options, double xLow, double xHigh,
               double yLow, double yHigh, int columns, int rows,
               const std::function<bool(RowId)>& listed = {});

/// The weighted total over the tasks of one network, with its weights.
TotalCurve networkCurve(const TuningHistory& history, const SessionNetwork& network,
                        const CurveOptions& options);

/// Latency (seconds) of a task or of the total as the y axis shows it: milliseconds, GFLOP/s, times
/// faster than naive, or per cent of the peak.
double yValue(double seconds, double flops, double naiveSeconds, const CurveOptions& options);

/// Best latency (seconds) of a task at evenly spaced trials of the session so far, at most
/// `samples` values; fewer when its first best came late, none before it.
std::vector<double> trendOf(const TuningHistory& history, RowId task, int samples);

} // namespace nestwright
