#pragma once
/// \file The cost model of a session under way: it learns from what the session measured, round by
/// round.

#include "core/session/run/cost_learner.h"
#include "core/session/run/tuning/task_book.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nestwright {

/// The session's CostLearner, if its policy wants one, and what it is to learn at the end of the
/// round.
class SessionLearner {
 public:
  SessionLearner(RunLog& log, TaskBook& tasks, const RunSettings& settings)
      : log_(log), tasks_(tasks), settings_(settings) {}

  /// Learns from now on, or no longer, as the settings have it. Throws when the model cannot be
  /// had.
  void follow();
  bool learns() const { return learner_ != nullptr; }
  /// What scores programs; null while it has not learned enough.
  const CostScorer* scorer() const {
    return learner_ && learner_->trained() ? learner_.get() : nullptr;
  }
  /// Since it was made.
  ScoringTime scoringTime() const { return learner_ ? learner_->scoringTime() : ScoringTime{}; }

  /// The programs of the round are those of these records that can be trusted.
  void takeRound(const std::vector<Record>& records);
  /// And this one.
  void add(const Record& record);
  /// The round's program takes this time.
  void correct(const std::string& program, double seconds);

  /// Learns from the round's programs; `anew`: forgets first what it learned, and with it what
  /// cannot be trusted.
  ModelUpdated learn(bool anew);
  /// Stores what it learned; what the file had of it is gone when it learned `anew` and is not
  /// trained.
  void store(bool anew);
  /// Lets its data follow: without these programs (task, programId) of the session, or, when there
  /// are none, as the file is now.
  void relearn(const std::vector<std::pair<RowId, std::string>>& forgotten);

 private:
  /// Makes the model and teaches it what the session measured; `known`: it goes on from what it had
  /// learned, as the file has it.
  void load(bool known = true);
  MeasuredProgram measuredProgram(const Record& record);

  RunLog& log_;
  TaskBook& tasks_;
  const RunSettings& settings_;
  std::unique_ptr<CostLearner> learner_;       // null unless the policy wants a cost model
  std::vector<MeasuredProgram> roundPrograms_; // of the open round
};

} // namespace nestwright
