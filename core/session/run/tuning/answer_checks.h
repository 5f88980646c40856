#pragma once
/// \file Comparing answers: when one turns out wrong, what its sketch gave before is compared too,
/// and the cost model forgets what nobody compared (sketch_answers.h).

#include "core/session/run/tuning/round_work.h"
#include "core/session/run/tuning/run_measurer.h"
#include "core/session/run/tuning/task_book.h"

#include <atomic>
#include <set>
#include <vector>

namespace nestwright {

/// What is to be compared once more, and what is known of the sketches after that.
class AnswerChecks {
 public:
  AnswerChecks(RunLog& log, TaskBook& tasks, RunMeasurer& measurer, const RunSettings& settings)
      : log_(log), tasks_(tasks), measurer_(measurer), settings_(settings) {}

  /// Compares all answers that nobody compared of sketches that were found wrong in this round, and
  /// stores what is found, when all of the round was measured. Returns false when interrupted.
  bool compareBack(TunedTask& task, const std::atomic<bool>& interrupt, RoundWork& work);
  /// At the end of the round: what is known of the sketches now. True when one of them was found
  /// wrong, so that the model must forget what it learned before.
  bool note(TunedTask& task, const std::vector<Record>& ofRound);

 private:
  /// Sketches of which an answer was found wrong since note() was called last.
  std::set<int> newlyWrong(TunedTask& task);

  RunLog& log_;
  TaskBook& tasks_;
  RunMeasurer& measurer_;
  const RunSettings& settings_;
};

} // namespace nestwright
