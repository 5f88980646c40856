#pragma once
/// \file Claims to the best within noise: a program that seems a little faster than the best is
/// measured again, in turns with it, before it counts (C31; best_claim.h).

#include "core/session/run/tuning/round_work.h"
#include "core/session/run/tuning/run_measurer.h"
#include "core/session/run/tuning/task_book.h"

#include <atomic>
#include <optional>
#include <set>

namespace nestwright {

/// Claims wait in the file, as contested records of which no event tells that they were settled.
/// What was found of one before an interruption is in the session's state, and counts.
class ClaimJudge {
 public:
  ClaimJudge(RunLog& log, TaskBook& tasks, RunMeasurer& measurer, const RunSettings& settings);

  /// Settles the boldest claim of the task that waits, whichever round of the session made it: one
  /// a round, since noise makes more claims than there is time to look into. One that an earlier
  /// round had no time for must not wait for ever: the best may have been lucky. Returns false when
  /// interrupted.
  bool settleBoldest(TunedTask& task, const std::atomic<bool>& interrupt, RoundWork& work);
  /// All that the open round made, the boldest first, as long as they are below the best. Returns
  /// false when interrupted.
  bool settleAll(TunedTask& task, const std::atomic<bool>& interrupt, RoundWork& work);
  /// In a polish of another program than the task's best: finds the fastest program of the open
  /// round that is faster than the incumbent, measured in turns with it where that is not clear,
  /// and notes it as the round's successor. Nothing where the round made the task's best. Returns
  /// false when interrupted.
  bool findSuccessor(const TunedTask& task, const Record& incumbent,
                     const std::atomic<bool>& interrupt, RoundWork& work);
  /// The claim of the measurement on demand that was made last. Returns false when interrupted.
  bool settleDemanded(const std::atomic<bool>& interrupt);

 private:
  /// The boldest claims of the session's trials from this one on, so many at most. Where there are
  /// any the best is measured first, and what is not below that is none. False when interrupted.
  bool settleClaims(TunedTask& task, std::int64_t fromTrial, int most,
                    const std::atomic<bool>& interrupt, RoundWork& work);
  /// What a claim is to be below, seconds: the less of what the best took when it was measured, and
  /// takes in the open round. Else all that is measured after a slow moment would be a claim.
  double boundOf(const TunedTask& task) const;
  /// Measures the best for the open round, once. False when interrupted.
  bool lookAtBest(const TunedTask& task, const std::atomic<bool>& interrupt, RoundWork& work);
  /// Of the session's trials from this one on.
  std::optional<Record> boldest(const TunedTask& task, std::int64_t fromTrial) const;
  bool settle(TunedTask& task, const Record& claim, const std::atomic<bool>& interrupt,
              RoundWork& work);
  /// Measures the claimant of `open` again, in turns with the best, and closes the claim. Returns
  /// false when interrupted.
  bool settle(OpenClaim& open, TunedTask& task, const Record& claim,
              const std::atomic<bool>& interrupt, RoundWork& work);
  /// Measures the program again, in turns with its rival, until it is known which is faster: the
  /// program or, as far as one can tell, not. What `open` has of it counts. Nothing when
  /// interrupted.
  std::optional<bool> isFasterInTurns(OpenClaim& open, const TunedTask& task, const Record& claim,
                                      const Record& rival, const std::atomic<bool>& interrupt,
                                      RoundWork& work);
  /// Measures until there are `wanted` pairs, or one of the programs fails. False when interrupted.
  bool measurePairs(OpenClaim& open, const TunedTask& task, const Record& claim,
                    const Record& rival, int wanted, const std::atomic<bool>& interrupt,
                    RoundWork& work);
  std::vector<MeasureResult> measured(std::vector<MeasureRequest> requests,
                                      const std::atomic<bool>& interrupt, RoundWork& work);
  void close(OpenClaim& of, TunedTask& task, const Record& claim, bool confirmed);

  RunLog& log_;
  TaskBook& tasks_;
  RunMeasurer& measurer_;
  const RunSettings& settings_;
  /// Claims that were settled, by this run or one before it, and those that cannot be: there is
  /// nothing that they could be compared with.
  std::set<RowId> closed_;
};

} // namespace nestwright
