#pragma once
/// \file What the user changes in a session under way. Each change is stored before it is told.

#include "core/session/run/tuning/progress_ticker.h"
#include "core/session/run/tuning/session_learner.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nestwright {

/// Obeys the commands that change what a session does, one overload each.
class SessionChanges {
 public:
  SessionChanges(RunLog& log, RunSettings& settings, TaskBook& tasks, SessionLearner& learner,
                 ProgressTicker& progress)
      : log_(log), settings_(settings), tasks_(tasks), learner_(learner), progress_(progress) {}

  // What each command changes (command.h). Throws InputError, and changes nothing, when it cannot
  // be followed.
  void apply(const SetImportance& change);
  void apply(const SetTaskMode& change);
  void apply(const SetTrialBudget& change);
  void apply(const SetTimeBudget& change);
  void apply(const SetObjective& change);
  void apply(const SetSearchOptions& change);
  void apply(const MeasureProgram& change);
  void apply(const SeedWith& change);
  void apply(const Forget& change);
  void apply(const PauseAfterPhases& change);

  /// How many of them there were that the candidates of a round may follow from.
  std::int64_t count() const { return count_; }

 private:
  /// Changed settings: stores and tells them.
  void takeOver(const SessionConfig& config);
  /// What was proposed holds no longer. The events that tell so.
  std::vector<Event> dropProposals(const std::string& what);
  /// Stores and tells what was changed, after which the next round is chosen anew.
  void tellAnew(const std::string& what, const Event& event);
  /// Lets policy, scheduler and model be those of the settings. Throws InputError, and leaves them
  /// as they are, where one cannot be had.
  void follow(const SessionConfig& config);

  RunLog& log_;
  RunSettings& settings_;
  TaskBook& tasks_;
  SessionLearner& learner_;
  ProgressTicker& progress_;
  std::int64_t count_ = 0;
};

} // namespace nestwright
