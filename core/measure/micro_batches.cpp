#include "core/measure/micro_batches.h"

#include <algorithm>

namespace nestwright {

namespace {

// What is asked of fewer tells nothing of how far they agree.
constexpr int kFitting = 3;

/// As many micro-batches as before, of so many runs that a few fit.
Evaluator fitted(Evaluator evaluator, double secondsPerRun) {
  if (evaluator.seconds <= 0 || kFitting * evaluator.batch * secondsPerRun <= evaluator.seconds)
    return evaluator;
  const int batches = evaluator.mostBatches();
  const double runs = evaluator.seconds / (kFitting * secondsPerRun);
  evaluator.batch = std::clamp(static_cast<int>(runs), 1, evaluator.batch);
  evaluator.runs = batches * evaluator.batch;
  return evaluator;
}

} // namespace

void timeBatches(const TimingOptions& options, const std::function<double(int)>& run,
                 Timing& timing) {
  const double limit = options.evaluator.seconds;
  double seconds = 0;
  for (int i = 0; timing.seconds.empty() && i < std::max(1, options.warmups); ++i) {
    seconds = run(1);
    if (limit > 0 && seconds >= limit)
      timing.seconds.push_back(seconds);
    else
      ++timing.warmups;
  }
  if (!timing.seconds.empty()) {
    timing.stopped = StopReason::SecondsSpent;
    return;
  }
  const Evaluator evaluator = fitted(options.evaluator, seconds);
  timing.runsPerRepeat = evaluator.batch;
  while (!timing.stopped) {
    timing.seconds.push_back(run(evaluator.batch) / evaluator.batch);
    timing.stopped = stopsAfter(evaluator, timing.seconds, options.bestSeconds);
  }
  if (timing.stopped == StopReason::AllRuns && evaluator != options.evaluator)
    timing.stopped = StopReason::SecondsSpent; // shorter ones are not all runs
}

} // namespace nestwright
