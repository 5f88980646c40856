#include "ui/kit/format.h"

#include "core/support/units.h"
#include "ui/kit/text.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <vector>

namespace nestwright::ui {
namespace {

bool known(double value) {
  return std::isfinite(value) && value > 0;
}

} // namespace

QString noValue() {
  return qs(kUnknownText);
}

QString timeText(double seconds) {
  return qs(formatSeconds(seconds));
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
  return qs(formatFlopRate(flopsPerSecond));
}

QString gigaflopsIn(double flopsPerSecond) {
  return known(flopsPerSecond) ? QString::number(flopsPerSecond / 1e9, 'f', 1) : noValue();
}

QString flopsText(double flops) {
  return qs(formatFlops(flops));
}

QString bytesText(double bytes) {
  return qs(formatBytes(bytes));
}

QString bandwidthText(double bytesPerSecond) {
  return qs(formatBandwidth(bytesPerSecond));
}

QString frequencyText(double hertz) {
  return qs(formatFrequency(hertz));
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
  return QString::number(fraction * 100, 'f', 1).replace(QLatin1Char('-'), QStringLiteral("−")) +
         QStringLiteral(" %");
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

QString programsText(std::size_t count) {
  return countedText(static_cast<std::int64_t>(count), QStringLiteral("1 program"),
                     QStringLiteral("%1 programs"));
}

QString tasksText(std::size_t count) {
  return countedText(static_cast<std::int64_t>(count), QStringLiteral("1 task"),
                     QStringLiteral("%1 tasks"));
}

QString rateText(double trialsPerSecond) {
  if (!known(trialsPerSecond)) return noValue();
  return QString::number(trialsPerSecond, 'f', trialsPerSecond < 9.95 ? 1 : 0) +
         QStringLiteral(" trials/s");
}

QString durationText(double seconds) {
  return qs(formatDuration(seconds));
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
