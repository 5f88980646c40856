#pragma once
/// \file The work of a recombination, without its thread.

#include "core/record/store/store.h"
#include "core/session/recombination/recombination.h"

#include <atomic>
#include <chrono>
#include <set>
#include <vector>

namespace nestwright {

/// Thread-compatible; owned by the recombination's thread.
class RecombinationRun {
 public:
  RecombinationRun(RecordStore store, RowId recombination, Recombination::Observer observer,
                   NetworkMeasure measure, const WorkerLaunch& launch = {});

  /// Why nothing more is to be done, or nothing.
  std::optional<std::string> finishedReason() const;
  /// One step: a sample, or a stage of confirming the winner. What is in flight when `interrupt`
  /// becomes true is dropped. Throws SystemError when the per-task bests themselves fail.
  void step(const std::atomic<bool>& interrupt);

  /// Stores the status, tells it, and starts or stops the clock.
  void setStatus(SessionStatus status, const std::string& reason = {},
                 PauseCause cause = PauseCause::None);

 private:
  /// Waits until no session is tuned on this machine by way of this file; false when interrupted.
  bool waitForMachine(const std::atomic<bool>& interrupt);
  NetworkResult measured(const NetworkRequest& request, const std::atomic<bool>& interrupt);
  NetworkPrograms programsOf(const Choice& choice);
  const Steps& stepsOf(RowId record);
  Choice bests() const { return Choice(state_.candidates.size(), 0); }

  std::optional<DrawnChoice> nextDraw() const;
  bool baselineIsDue() const;
  void sample(const Choice& choice, std::int64_t draw, const std::atomic<bool>& interrupt);
  /// The claim to look into next: an open one, or that of the fastest sample not looked into.
  std::optional<WinnerClaim> nextClaim() const;
  void confirm(WinnerClaim claim, const std::atomic<bool>& interrupt);

  void save();
  double wallSeconds() const;

  RecordStore store_;
  Recombination::Observer observer_;
  RecombinationRow row_;
  RecombinationConfig config_;
  RecombinationState state_;
  std::vector<SampleRow> samples_;
  std::map<RowId, Steps> steps_; // of the candidates that were used
  NetworkMeasure measure_;
  std::unique_ptr<NetworkMeasurer> measurer_; // its process starts with the first sample
  std::optional<std::chrono::steady_clock::time_point> runningSince_;
};

} // namespace nestwright
