#include "ui/charts/curve_axes.h"

#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <cmath>

namespace nestwright::ui {
QString yText(double value, YAxis y) {
  switch (y) {
  case YAxis::Latency:
    return timeText(value / 1e3);
  case YAxis::Throughput:
    return throughputText(value * 1e9);
  case YAxis::SpeedUp:
    return factorText(value);
  case YAxis::Peak:
    return percentText(value / 100);
  }
  return {};
}

QString xText(double value, XAxis x) {
  return x == XAxis::Trials ? tr("trial %1").arg(countText(std::llround(value)))
                            : durationText(value);
}

QString changeText(double share) {
  const double percent = std::abs(100 * share);
  const bool whole = percent >= 9.95 || percent == std::round(percent);
  const QString sign = percent == 0 ? QString()
                       : share < 0  ? QStringLiteral("−")
                                    : QStringLiteral("+");
  return QStringLiteral("%1%2 %").arg(sign, QString::number(percent, 'f', whole ? 0 : 1));
}

QString axisLabel(YAxis y) {
  switch (y) {
  case YAxis::Latency:
    return tr("latency, ms");
  case YAxis::Throughput:
    return tr("throughput, GFLOP/s");
  case YAxis::SpeedUp:
    return tr("times faster than naive");
  case YAxis::Peak:
    return tr("% of the machine's peak");
  }
  return {};
}

QString axisLabel(XAxis x) {
  return x == XAxis::Trials ? tr("trials") : tr("tuning time");
}

QString axisMeaning(YAxis y) {
  switch (y) {
  case YAxis::Latency:
    return tr("Time of one run of the best program so far, in milliseconds; of a network, the sum "
              "over its tasks of latency times weight. Lower is better.");
  case YAxis::Throughput:
    return tr("Floating-point operations of the task divided by the latency of its best program "
              "so far, in 10⁹ operations per second. Higher is better.");
  case YAxis::SpeedUp:
    return tr("Latency of the naive program divided by the best latency so far. Higher is better.");
  case YAxis::Peak:
    return tr("Throughput of the best program so far, in percent of what the machine could do at "
              "most. Higher is better.");
  }
  return {};
}

QString axisMeaning(XAxis x) {
  return x == XAxis::Trials ? tr("Programs measured so far in the session, over all its tasks.")
                            : tr("Time that the session was running so far, without its pauses.");
}

} // namespace nestwright::ui
