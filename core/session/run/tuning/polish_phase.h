#pragma once
/// \file The last phase of a session (SessionConfig::polish): rounds in which the neighbours of
/// each task's best are measured (core/search/decisions/polish.h), a few at a time, and one takes
/// its place when it is faster beyond noise (best_claim.h; handbook/ansor.md 4.9).

#include "core/record/rows/record.h"
#include "core/session/run/tuning/run_log.h"
#include "core/session/run/tuning/run_settings.h"
#include "core/session/run/tuning/task_book.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// Neighbours of a round: few, since the next ones are those of a better program.
inline constexpr int kPolishBatch = 4;
/// A task with a smaller share of the total latency is not worth a polish.
inline constexpr double kLeastPolishShare = 0.01;

class PolishPhase {
 public:
  PolishPhase(RunLog& log, TaskBook& tasks, const RunSettings& settings)
      : log_(log), tasks_(tasks), settings_(settings) {}

  /// Whether the budget says that it begins: what it leaves, of trials or of time, is for the
  /// polish.
  bool isDue() const;
  /// What the search used up when it is due, in words.
  std::string whyDue() const;
  /// Trials of all tasks together: SessionConfig::polish for each, which go where they are worth
  /// most.
  std::int64_t budget() const;

  /// The task whose best is polished next: the one whose part of the total is the largest for the
  /// polish that it had; -1 when there is none. `reason` gets it in words, also why there is none.
  int next(std::string& reason) const;
  /// Trials of the next round.
  int roundSize() const;
  /// Gives the task an incumbent, its best, where it has none. False where it cannot have one; then
  /// its polish is over.
  bool begin(const TunedTask& task);
  /// Throws InputError when its record is gone.
  Record incumbentOf(const TunedTask& task) const;
  /// `shortage`: of the proposal. Its polish is over when it had no candidates.
  void endRound(const TunedTask& task, const std::vector<Record>& ofRound,
                const std::string& shortage);

 private:
  /// Trials that no round had yet.
  std::int64_t left() const;
  /// The search's part of a budget of time: the same as of the trials. Infinity without one.
  double searchSeconds() const;
  /// What the task adds to the total, 0 where it is not to be polished.
  double worthOf(const TunedTask& task) const;

  RunLog& log_;
  TaskBook& tasks_;
  const RunSettings& settings_;
};

} // namespace nestwright
