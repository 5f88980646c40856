#include "ui/point_figures.h"

#include "ui/format.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestwright::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("PointFigures", text);
}

} // namespace

QString pointFigures(std::vector<double> seconds, std::int64_t failed) {
  const QString failures = failed > 0 ? tr("; %1 failed").arg(countText(failed)) : QString();
  if (seconds.empty()) return tr("none with a time") + failures;
  std::ranges::sort(seconds);
  const std::size_t count = seconds.size();
  const double median = (seconds[(count - 1) / 2] + seconds[count / 2]) / 2;
  const double mean =
      std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(count);
  double squares = 0;
  for (const double one : seconds)
    squares += (one - mean) * (one - mean);
  const double deviation = count > 1 ? std::sqrt(squares / static_cast<double>(count - 1)) : 0;
  return tr("%1 with a time: min %2, median %3, mean %4, max %5, spread %6")
             .arg(countText(std::int64_t(count)), timeText(seconds.front()), timeText(median),
                  timeText(mean), timeText(seconds.back()), percentText(deviation / mean)) +
         failures;
}

} // namespace nestwright::ui
