#include "core/story/allocation.h"

#include <algorithm>

namespace nestwright {
namespace {

/// Trials of the task up to and including each of the ascending places.
std::vector<double> trialsUpTo(const TaskHistory& task, const std::vector<double>& places,
                               XAxis axis) {
  const auto isAfter = [axis](double place, const TrialPoint& trial) {
    return place < (axis == XAxis::Trials ? static_cast<double>(trial.trial)
                                          : static_cast<double>(trial.wallSeconds));
  };
  std::vector<double> given;
  given.reserve(places.size());
  auto next = task.trials.begin(); // the first after the place
  for (const double place : places) {
    // Most of thousands of tasks were given nothing between two places.
    if (next != task.trials.end() && !isAfter(place, *next))
      next = std::upper_bound(next, task.trials.end(), place, isAfter);
    given.push_back(static_cast<double>(next - task.trials.begin()));
  }
  return given;
}

} // namespace

Allocation allocation(const TuningHistory& history, const std::vector<AllocationTask>& tasks,
                      XAxis x, bool share, int samples) {
  Allocation result;
  const double last = x == XAxis::Trials ? static_cast<double>(history.lastTrial())
                                         : static_cast<double>(float(history.lastWallSeconds()));
  if (last <= 0 || samples < 2) return result;
  for (int i = 0; i < samples; ++i)
    result.x.push_back(last * i / (samples - 1));
  const auto add = [&](AllocationBand& band, const TaskHistory& task) {
    band.trials += static_cast<std::int64_t>(task.trials.size());
    band.top.resize(static_cast<std::size_t>(samples));
    const std::vector<double> given = trialsUpTo(task, result.x, x);
    for (int i = 0; i < samples; ++i)
      band.top[i] += given[i];
  };
  AllocationBand others;
  others.tasks = 0;
  for (const AllocationTask& entry : tasks) {
    const TaskHistory* task = history.find(entry.task);
    if (!task) continue;
    if (!entry.alone) {
      ++others.tasks;
      add(others, *task);
      continue;
    }
    AllocationBand band{entry.task, entry.rank, 1, 0, {}};
    add(band, *task);
    result.bands.push_back(std::move(band));
  }
  if (others.tasks > 0) result.bands.insert(result.bands.begin(), std::move(others));
  // Each band stands on those below.
  for (std::size_t b = 1; b < result.bands.size(); ++b)
    for (int i = 0; i < samples; ++i)
      result.bands[b].top[i] += result.bands[b - 1].top[i];
  for (const AllocationBand& band : result.bands)
    result.trials += band.trials;
  if (!share || result.bands.empty()) return result;
  const std::vector<double> all = result.bands.back().top;
  for (AllocationBand& band : result.bands)
    for (int i = 0; i < samples; ++i)
      band.top[i] = all[i] > 0 ? 100 * band.top[i] / all[i] : 0;
  return result;
}

} // namespace nestwright
