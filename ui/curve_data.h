#pragma once
/// \file From a tuning history to what a chart draws: which quantity lies on which axis, and which
/// of a million dots can be told apart on the screen. Pure functions.

#include "ui/history.h"

#include <QString>
#include <QVector>

namespace nestwright::ui {

enum class XAxis { Trials, WallTime };
enum class YAxis { Latency, Throughput, SpeedUp };

struct CurveOptions {
  XAxis x = XAxis::Trials;
  YAxis y = YAxis::Latency;
  bool logarithmic = true;
  bool showTrials = true; // dots of the selected task
  bool showTasks = true;  // thin lines of all tasks
};

/// A step line: y[i] holds from x[i] on.
struct Curve {
  QVector<double> x, y;
  bool isEmpty() const { return x.isEmpty(); }
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
  QVector<double> errors;
};
/// At most one dot in each cell of a grid of `columns` × `rows` over the visible range, so that the
/// cost of drawing is bounded by the screen and not by the number of trials. `rows` cells are
/// spaced as the axis is (logarithmic or not).
Dots trialDots(const TaskHistory& task, const CurveOptions& options, double xLow, double xHigh,
               double yLow, double yHigh, int columns, int rows);

/// Latency (seconds) of a task or of the total as the y axis shows it: milliseconds, GFLOP/s, or
/// times faster than naive.
double yValue(double seconds, double flops, double naiveSeconds, YAxis y);
/// "6.42 ms", "84.3 GFLOP/s", "12.4×" of such a value.
QString yText(double value, YAxis y);
QString xText(double value, XAxis x);
QString axisLabel(YAxis y);
QString axisLabel(XAxis x);

} // namespace nestwright::ui
