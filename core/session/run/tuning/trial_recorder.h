#pragma once
/// \file A result becomes a trial: judged, stored, counted and told.

#include "core/session/run/tuning/progress_ticker.h"
#include "core/session/run/tuning/round_work.h"
#include "core/session/run/tuning/task_book.h"

#include <functional>

namespace nestwright {

/// A trial that is the task's new best is told as such, unless it is within noise of the one
/// before: then it is a claim.
class TrialRecorder {
 public:
  TrialRecorder(RunLog& log, TaskBook& tasks, ProgressTicker& progress, const RunSettings& settings)
      : log_(log), tasks_(tasks), progress_(progress), settings_(settings) {}

  /// The result of a round's candidate.
  void record(TunedTask& task, const Candidate& candidate, const MeasureResult& result,
              RoundWork& work);
  /// The result of the measurement on demand that waited longest, which is done with it.
  void recordDemanded(TunedTask& task, const Candidate& candidate, const MeasureResult& result);

 private:
  /// What is to be stored: whether it is implausible, contested or the best.
  Record judged(const TunedTask& task, const Candidate& candidate,
                const MeasureResult& result) const;
  /// Counts the trial, and stores it in one transaction with what `alsoStore` writes.
  void store(Record& record, TunedTask& task, const std::function<void()>& alsoStore);
  void tell(const Record& record, double previousBest);

  RunLog& log_;
  TaskBook& tasks_;
  ProgressTicker& progress_;
  const RunSettings& settings_;
};

} // namespace nestwright
