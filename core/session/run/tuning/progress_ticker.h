#pragma once
/// \file Tells how a session gets on: the event Progress, a few times a second at most.

#include "core/session/run/tuning/task_book.h"

#include <chrono>
#include <deque>

namespace nestwright {

/// Sums up the session, its rate and the time left. Progress is told and not stored.
class ProgressTicker {
 public:
  ProgressTicker(const RunLog& log, const TaskBook& tasks, const RunSettings& settings)
      : log_(log), tasks_(tasks), settings_(settings) {}

  /// A trial was made: for the rate.
  void countTrial();
  /// Tells unless it told a moment ago.
  void tick();
  void tell();

 private:
  using Clock = std::chrono::steady_clock;

  const RunLog& log_;
  const TaskBook& tasks_;
  const RunSettings& settings_;
  Clock::time_point lastTold_{};
  std::deque<Clock::time_point> recentTrials_;
};

} // namespace nestwright
