#include "core/session/run/tuning/progress_ticker.h"

#include "core/session/schedule/network_totals.h"
#include "core/support/clock.h"
#include "core/support/infinity.h"

#include <algorithm>

namespace nestwright {

namespace {

/// The rate shown is that of the last half minute: long enough to be calm, short enough to be true.
constexpr std::chrono::seconds kRateWindow{30};
constexpr std::chrono::milliseconds kProgressInterval{200};

} // namespace

void ProgressTicker::countTrial() {
  recentTrials_.push_back(Clock::now());
}

void ProgressTicker::tick() {
  if (Clock::now() - lastTold_ >= kProgressInterval) tell();
}

void ProgressTicker::tell() {
  const Clock::time_point now = Clock::now();
  lastTold_ = now;
  while (!recentTrials_.empty() && now - recentTrials_.front() > kRateWindow)
    recentTrials_.pop_front();
  const SessionConfig& config = settings_.config;
  const TrialCounts& counts = log_.counts();
  Progress progress;
  progress.trials = counts.trials;
  progress.errors = counts.errors;
  progress.budget = config.trials + log_.state().demandedTrials; // those come on top
  progress.wallSeconds = log_.wallSeconds();
  progress.kernelSeconds = counts.kernelSeconds;
  if (log_.isRunning() && recentTrials_.size() > 1)
    progress.trialsPerSecond =
        static_cast<double>(recentTrials_.size()) /
        std::max(1e-3, std::min<double>(kRateWindow.count(), secondsSince(recentTrials_.front())));
  progress.secondsLeft =
      progress.trialsPerSecond > 0
          ? static_cast<double>(config.trials - log_.searchTrials()) / progress.trialsPerSecond
          : kInfinity;
  if (config.maxSeconds > 0)
    progress.secondsLeft =
        std::min(progress.secondsLeft, std::max(0.0, config.maxSeconds - progress.wallSeconds));
  progress.totalSeconds = tasks_.totalSeconds();
  const std::vector<NetworkTotals> totals = networkTotals(tasks_.progress());
  for (const NetworkTotals& network : totals) {
    progress.networks.push_back({network.best, network.naive, network.present});
    progress.naiveTotalSeconds += network.naive;
  }
  progress.objective = presentValue(config.objective, totals);
  log_.tell(progress);
}

} // namespace nestwright
