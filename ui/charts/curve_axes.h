#pragma once
/// \file The axes of curves in words: their labels, what they mean, and values on them.

#include "core/story/curve_data.h"

#include <QString>

namespace nestwright::ui {

/// "6.42 ms", "84.3 GFLOP/s", "12.4×", "31.2 %" of a value of yValue().
QString yText(double value, YAxis y);
QString xText(double value, XAxis x);
/// A change as a share of what was: "−14 %", "+3.1 %", "0 %".
QString changeText(double share);
QString axisLabel(YAxis y);
QString axisLabel(XAxis x);

/// What the axis shows, in which unit, and which way is better.
QString axisMeaning(YAxis y);
QString axisMeaning(XAxis x);

} // namespace nestwright::ui
