#include "ui/kit/format.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace nestwright::ui {
namespace {

struct Scale {
  double factor;
  const char* symbol;
};

/// Decimals so that `value` shows four significant digits; values are below 1000 by choice of unit.
int decimalsOf(double value) {
  const double size = std::abs(value);
  if (size >= 999.95) return 0;
  if (size >= 99.995) return 1;
  if (size >= 9.9995) return 2;
  return 3;
}

QString scaled(double value, std::span<const Scale> scales) {
  const Scale* scale = &scales.back();
  for (const Scale& candidate : scales) {
    // 999.96 would be shown as 1000.0, so the next unit takes over just before.
    if (value / candidate.factor < 999.95) {
      scale = &candidate;
      break;
    }
  }
  const double shown = value / scale->factor;
  if (shown >= 1e6 || shown < 1e-3) // beyond anything sensible, but still short
    return QString::number(shown, 'g', 4) + QLatin1Char(' ') + QString::fromUtf8(scale->symbol);
  return QString::number(shown, 'f', decimalsOf(shown)) + QLatin1Char(' ') +
         QString::fromUtf8(scale->symbol);
}

bool known(double value) {
  return std::isfinite(value) && value > 0;
}

} // namespace

QString noValue() {
  return QStringLiteral("–");
}

QString timeText(double seconds) {
  static constexpr std::array<Scale, 4> kScales{
      {{1e-9, "ns"}, {1e-6, "µs"}, {1e-3, "ms"}, {1.0, "s"}}};
  return known(seconds) ? scaled(seconds, kScales) : noValue();
}

QString unitSymbol(TimeUnit unit) {
  switch (unit) {
  case TimeUnit::Microseconds:
    return QStringLiteral("µs");
  case TimeUnit::Milliseconds:
    return QStringLiteral("ms");
  case TimeUnit::Seconds:
    return QStringLiteral("s");
  }
  return {};
}

TimeUnit columnUnit(std::span<const double> seconds) {
  std::vector<double> values;
  std::copy_if(seconds.begin(), seconds.end(), std::back_inserter(values), known);
  if (values.empty()) return TimeUnit::Milliseconds;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (*middle < 0.1e-3) return TimeUnit::Microseconds;
  return *middle < 1.0 ? TimeUnit::Milliseconds : TimeUnit::Seconds;
}

QString timeIn(double seconds, TimeUnit unit) {
  if (!known(seconds)) return noValue();
  switch (unit) {
  case TimeUnit::Microseconds:
    return QString::number(seconds * 1e6, 'f', 1);
  case TimeUnit::Milliseconds:
    return QString::number(seconds * 1e3, 'f', 3);
  case TimeUnit::Seconds:
    return QString::number(seconds, 'f', 3);
  }
  return {};
}

QString throughputText(double flopsPerSecond) {
  static constexpr std::array<Scale, 3> kScales{
      {{1e6, "MFLOP/s"}, {1e9, "GFLOP/s"}, {1e12, "TFLOP/s"}}};
  return known(flopsPerSecond) ? scaled(flopsPerSecond, kScales) : noValue();
}

QString gigaflopsIn(double flopsPerSecond) {
  return known(flopsPerSecond) ? QString::number(flopsPerSecond / 1e9, 'f', 1) : noValue();
}

QString flopsText(double flops) {
  static constexpr std::array<Scale, 5> kScales{
      {{1, "FLOP"}, {1e3, "kFLOP"}, {1e6, "MFLOP"}, {1e9, "GFLOP"}, {1e12, "TFLOP"}}};
  return known(flops) ? scaled(flops, kScales) : noValue();
}

QString factorText(double factor) {
  if (!known(factor)) return noValue();
  if (factor >= 1e5) return QString::number(factor, 'g', 3) + QStringLiteral("×");
  if (factor >= 999.5) return countText(std::llround(factor)) + QStringLiteral("×");
  const int decimals = factor >= 99.95 ? 0 : factor >= 9.995 ? 1 : 2;
  return QString::number(factor, 'f', decimals) + QStringLiteral("×");
}

QString percentText(double fraction) {
  if (!std::isfinite(fraction)) return noValue();
  return QString::number(fraction * 100, 'f', 1) + QStringLiteral(" %");
}

QString figureText(double value) {
  if (!std::isfinite(value)) return noValue();
  return QString::number(value, 'f', std::abs(value) < 100 ? 3 : 1)
      .replace(QLatin1Char('-'), QStringLiteral("−"));
}

QString signedText(double score) {
  const QString size = QString::number(std::abs(score), 'f', 3);
  return (score < 0 ? QStringLiteral("−") : QStringLiteral("+")) + size;
}

QString countText(std::int64_t count) {
  return QLocale(QLocale::English, QLocale::UnitedStates).toString(static_cast<qlonglong>(count));
}

QString countedText(std::int64_t count, const QString& one, const QString& many) {
  return count == 1 ? one : many.arg(countText(count));
}

QString rateText(double trialsPerSecond) {
  if (!known(trialsPerSecond)) return noValue();
  return QString::number(trialsPerSecond, 'f', trialsPerSecond < 9.95 ? 1 : 0) +
         QStringLiteral(" trials/s");
}

QString durationText(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return noValue();
  const auto total = static_cast<std::int64_t>(std::llround(seconds));
  const auto days = total / 86400, hours = total / 3600 % 24, minutes = total / 60 % 60;
  if (days > 0) return QStringLiteral("%1 d %2 h").arg(days).arg(hours);
  if (hours > 0) return QStringLiteral("%1 h %2 min").arg(hours).arg(minutes);
  if (minutes > 0) return QStringLiteral("%1 min %2 s").arg(minutes).arg(total % 60);
  return QStringLiteral("%1 s").arg(total);
}

QString budgetTimeText(double seconds) {
  QString text = durationText(seconds);
  for (const char* nothing : {" 0 s", " 0 min", " 0 h"})
    if (text.endsWith(QLatin1String(nothing))) text.chop(qsizetype(qstrlen(nothing)));
  return text;
}

QString momentText(std::int64_t microseconds) {
  if (microseconds <= 0) return noValue();
  return QDateTime::fromMSecsSinceEpoch(microseconds / 1000)
      .toString(QStringLiteral("yyyy-MM-dd hh:mm:ss"));
}

double relativeSpread(std::span<const double> seconds) {
  if (seconds.size() < 2) return 0;
  std::vector<double> sorted(seconds.begin(), seconds.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  const double median =
      sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return median > 0 ? (sorted.back() - sorted.front()) / median : 0;
}

} // namespace nestwright::ui
