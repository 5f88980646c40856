#include "ui/charts/axis_tickers.h"

#include "ui/charts/curve_axes.h"
#include "ui/kit/format.h"

#include <array>
#include <cmath>

namespace nestwright::ui {

QVector<double> LogTicker::createTickVector(double tickStep, const QCPRange& range) {
  if (range.lower <= 0 || range.upper / range.lower < 4)
    return QCPAxisTicker::createTickVector(tickStep, range);
  const double decades = std::log10(range.upper / range.lower);
  const int first = static_cast<int>(std::floor(std::log10(range.lower)));
  const int last = static_cast<int>(std::ceil(std::log10(range.upper)));
  QVector<double> ticks;
  const int stride = std::max(1, (last - first) / 8);
  for (int power = first; power <= last; power += stride) {
    ticks.append(std::pow(10.0, power));
    if (decades < 3.2) {
      ticks.append(2 * std::pow(10.0, power));
      ticks.append(5 * std::pow(10.0, power));
    }
  }
  return ticks;
}

QVector<double> LogTicker::createSubTickVector(int, const QVector<double>&) {
  return {};
}

QString LogTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  if (tick < 1e9 && (tick >= 1000 || tick == std::floor(tick)))
    return countText(std::llround(tick));
  return QString::number(tick, 'g', 4);
}

double CountTicker::getTickStep(const QCPRange& range) {
  return std::max(1.0, QCPAxisTicker::getTickStep(range));
}

int CountTicker::getSubTickCount(double tickStep) {
  return tickStep < 5 ? 0 : QCPAxisTicker::getSubTickCount(tickStep);
}

QString CountTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  return countText(std::llround(tick));
}

QVector<double> ShareTicker::createTickVector(double, const QCPRange& range) {
  static constexpr int kMost = 7;
  if (reference_ <= 0 || range.lower <= 0 || range.upper > 4 * range.lower) return {};
  const double low = range.lower / reference_ - 1, high = range.upper / reference_ - 1;
  double step = 0;
  for (const double tried : {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0})
    if (step = tried; (high - low) / tried < kMost) break;
  QVector<double> ticks;
  for (int k = int(std::ceil(low / step)); k <= int(std::floor(high / step)); ++k)
    ticks.append(reference_ * (1 + k * step));
  return ticks;
}

QVector<double> ShareTicker::createSubTickVector(int, const QVector<double>&) {
  return {};
}

QString ShareTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  return changeText(std::round(100 * (tick / reference_ - 1)) / 100);
}

double TimeTicker::getTickStep(const QCPRange& range) {
  static constexpr std::array<double, 21> kSteps{
      1,         2,         5,          10,     15,         30,         60,
      120,       300,       600,        900,    1800,       3600,       7200,
      3 * 3600., 6 * 3600., 12 * 3600., 86400., 2 * 86400., 7 * 86400., 14 * 86400.};
  const double wanted = range.size() / 6;
  for (const double step : kSteps)
    if (step >= wanted) return step;
  return QCPAxisTicker::getTickStep(range);
}

QString TimeTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  const auto seconds = static_cast<std::int64_t>(std::llround(tick));
  if (seconds == 0) return QStringLiteral("0");
  if (seconds % 86400 == 0) return QStringLiteral("%1 d").arg(seconds / 86400);
  if (seconds % 3600 == 0) return QStringLiteral("%1 h").arg(seconds / 3600);
  if (seconds % 60 == 0 && seconds < 7200) return QStringLiteral("%1 min").arg(seconds / 60);
  return durationText(tick);
}

} // namespace nestwright::ui
