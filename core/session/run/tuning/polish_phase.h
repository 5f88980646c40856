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

/// Which record of the round takes the incumbent's place, if any: the fastest that became the
/// task's best; where the incumbent is not the best, the fastest that is clearly faster. 0: none.
RowId successorOf(const Record& incumbent, const std::vector<Record>& ofRound);

class PolishPhase {
 public:
  PolishPhase(RunLog& log, TaskBook& tasks, const RunSettings& settings)
      : log_(log), tasks_(tasks), settings_(settings) {}

  /// Whether the budget says that it begins: what it leaves is for the polish.
  bool isDue() const;
  /// Trials of all tasks together.
  std::int64_t budget() const;

  /// The task whose best is polished next: the one whose part of the total is the largest for the
  /// polish that it had; -1 when there is none. `reason` gets it in words, also why there is none.
  int next(std::string& reason) const;
  /// Trials of the task's next round.
  int roundSize(const TunedTask& task) const;
  /// Gives the task an incumbent, its best, where it has none. False where it cannot have one; then
  /// its polish is over.
  bool begin(const TunedTask& task);
  /// The incumbent's program.
  Steps incumbentOf(const TunedTask& task) const;
  /// `shortage`: of the proposal. Its polish is over when it had no candidates.
  void endRound(const TunedTask& task, const std::vector<Record>& ofRound,
                const std::string& shortage);

 private:
  RowId successorIn(const TunedTask& task, const Record& incumbent,
                    const std::vector<Record>& ofRound) const;
  /// What the task adds to the total, 0 where it is not to be polished.
  double worthOf(const TunedTask& task) const;

  RunLog& log_;
  TaskBook& tasks_;
  const RunSettings& settings_;
};

} // namespace nestwright
