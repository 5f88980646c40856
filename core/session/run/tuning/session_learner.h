#pragma once
/// \file The cost model of a session under way: it learns from what the session measured, round by
/// round.

#include "core/session/run/events.h"
#include "core/session/run/tuning/record_learner.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nestwright {

/// The session's RecordLearner, if its policy wants one.
class SessionLearner {
 public:
  SessionLearner(RunLog& log, TaskBook& tasks, const RunSettings& settings)
      : log_(log), tasks_(tasks), settings_(settings) {}

  /// Learns from now on, or no longer, as the settings have it. Throws SystemError without the
  /// model's plugin and InputError when the model that the file has cannot be read; then it does
  /// what it did before.
  void follow();
  bool learns() const { return learner_ != nullptr; }
  /// RecordLearner::ranking()
  std::string ranking(const TunedTask& task) const {
    return learner_ ? learner_->ranking(task) : std::string();
  }
  /// What scores programs of the task, and configurations; null while it has not learned enough.
  const CostScorer* scorer(const TunedTask& task) const {
    return learner_ ? learner_->scorer(task) : nullptr;
  }
  const ConfigScorer* configScorer(const TunedTask& task) const {
    return learner_ ? learner_->configScorer(task) : nullptr;
  }
  /// Since it was made.
  ScoringTime scoringTime() const { return learner_ ? learner_->scoringTime() : ScoringTime{}; }

  /// Learns from those records of the task's round that can be trusted; `anew`: forgets first what
  /// it learned, and with it what cannot be trusted. Only where it learns().
  ModelUpdated learn(TunedTask& task, const std::vector<Record>& ofRound, bool anew);
  /// Stores what it learned; what the file had of it is gone when it learned `anew` and is not
  /// trained.
  void store(bool anew);
  /// Begins anew with what the file has of the session now.
  void reload();
  /// Takes programs (task, programId) out of its data of which the session forgot a record.
  void forget(const std::vector<std::pair<RowId, std::string>>& programs);

 private:
  /// Makes the model and teaches it what the session measured; `known`: it goes on from what it had
  /// learned, as the file has it.
  void load(bool known = true);
  std::unique_ptr<RecordLearner> untaught(const std::optional<std::string>& kept) const;
  /// The model that the file has of the session. Throws InputError where it has lost what the
  /// session began with.
  std::optional<std::string> kept() const;
  /// Takes the model out of the file, but for what it began with.
  void forgetModel();
  /// Those of the records that can be trusted.
  std::vector<Record> trusted(TunedTask& task, const std::vector<Record>& records);

  RunLog& log_;
  TaskBook& tasks_;
  const RunSettings& settings_;
  std::unique_ptr<RecordLearner> learner_; // null unless the policy wants a cost model
};

} // namespace nestwright
