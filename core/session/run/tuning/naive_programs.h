#pragma once
/// \file The naive program of a task, which everything else is compared with: measured before the
/// task's first round, and a task where that fails ends without the others.

#include "core/session/run/tuning/round_work.h"
#include "core/session/run/tuning/run_measurer.h"
#include "core/session/run/tuning/task_book.h"

#include <atomic>
#include <vector>

namespace nestwright {

/// Measures the naive programs, and remembers which are to be tried again.
class NaivePrograms {
 public:
  NaivePrograms(RunLog& log, TaskBook& tasks, RunMeasurer& measurer)
      : log_(log), tasks_(tasks), measurer_(measurer) {}

  /// Returns false when interrupted. A task where it fails twice, with fresh workers, fails: it
  /// takes no trials, and its round is closed. One that a recorded machine does not know stays
  /// unknown, and the task goes on without it.
  bool measure(TunedTask& task, const std::atomic<bool>& interrupt, RoundWork& work);

  /// The session starts: what failed is to be tried again.
  void noteFailed() { retries_ = tasks_.failed(); }
  bool hasRetries() const { return !retries_.empty(); }
  /// Tries those again, until `interrupt`. Outside of rounds, so that the decisions of a session
  /// that goes on are those of one that was never interrupted (C25).
  void retry(const std::atomic<bool>& interrupt);

 private:
  RunLog& log_;
  TaskBook& tasks_;
  RunMeasurer& measurer_;
  std::vector<RowId> retries_; // failed tasks to try again since the start
};

} // namespace nestwright
