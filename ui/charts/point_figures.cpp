#include "ui/charts/point_figures.h"

#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace nestwright::ui {
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

QString pointFigures(const TaskHistory& task, const FilteredRecords& listed) {
  if (task.trials.size() > kMostFigured)
    return tr("the figures of so many trials are in Records, Statistics");
  std::vector<double> seconds;
  std::int64_t failed = 0;
  for (const TrialPoint& trial : task.trials) {
    if (!listed.lists(trial.record)) continue;
    if (trial.verdict == Verdict::Ok)
      seconds.push_back(trial.seconds);
    else
      ++failed;
  }
  return pointFigures(std::move(seconds), failed);
}

} // namespace nestwright::ui
