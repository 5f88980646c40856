#pragma once
/// \file Numbers as people read them: three or four significant digits, always with a unit, and an
/// en dash for what is not known. The decimal sign is a point in every language, as in our files.
/// What core says in its sentences too is written by core/support/units.h.

#include <QString>

#include <cstdint>
#include <span>

namespace nestwright::ui {

/// What is shown where there is no value.
QString noValue();

/// A kernel's time with four significant digits: "412.3 µs", "6.420 ms", "1.204 s".
QString timeText(double seconds);

/// The unit of a whole column, so that its decimals line up.
enum class TimeUnit : std::uint8_t { Microseconds, Milliseconds, Seconds };
QString unitSymbol(TimeUnit unit);
/// The unit in which the finite values read best: most have one to three digits before the point.
TimeUnit columnUnit(std::span<const double> seconds);
/// The bare number with a fixed count of decimals: "0.412", "6.420".
QString timeIn(double seconds, TimeUnit unit);

/// "84.31 GFLOP/s", "1.204 TFLOP/s".
QString throughputText(double flopsPerSecond);
/// The bare number in GFLOP/s with one decimal.
QString gigaflopsIn(double flopsPerSecond);
/// Floating-point operations: "231.2 MFLOP".
QString flopsText(double flops);
/// A size in memory: "64 B", "12.0 KiB".
QString bytesText(double bytes);
/// "24.3 GB/s", "1.02 TB/s".
QString bandwidthText(double bytesPerSecond);
/// A clock: "1.98 GHz".
QString frequencyText(double hertz);

/// A ratio of two times: "12.4×".
QString factorText(double factor);
/// 0.031 becomes "3.1 %".
QString percentText(double fraction);
/// A figure without a unit, mostly between -1 and 1: "0.812", "−0.113".
QString figureText(double value);
/// A score or a part of one with its sign: "+0.012", "−0.300".
QString signedText(double score);
/// "1,204,331".
QString countText(std::int64_t count);
/// `one` for a single one, else `many` with the number in place of its first %.
QString countedText(std::int64_t count, const QString& one, const QString& many);
/// "1 program", "1,234 programs".
QString programsText(std::size_t count);
/// "1 task", "27 tasks".
QString tasksText(std::size_t count);
/// "34 trials/s", "0.8 trials/s".
QString rateText(double trialsPerSecond);
/// Wall time: "45 s", "12 min 5 s", "3 h 20 min", "2 d 4 h".
QString durationText(double seconds);
/// A chosen time, without zeros at its end: "2 min", "1 h", "2 min 30 s".
QString budgetTimeText(double seconds);
/// Local date and time of microseconds since the epoch: "2026-11-20 23:04:11".
QString momentText(std::int64_t microseconds);

/// How far repeats scatter: (max - min) / median, or 0 for fewer than two.
double relativeSpread(std::span<const double> seconds);

} // namespace nestwright::ui
