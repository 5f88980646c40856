#pragma once
/// \file What learns from a session's records, whichever space they are of.

#include "core/session/run/cost_learner.h"
#include "core/session/run/tuning/task_book.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nestwright {

/// Tasks are the session's, and outlive it.
class RecordLearner {
 public:
  virtual ~RecordLearner() = default;

  /// Appends records of the task, oldest first.
  virtual void add(TunedTask& task, const std::vector<Record>& records) = 0;
  /// What of the programs that were added its model does not know or see, a sentence; empty where
  /// there is nothing of it.
  virtual std::string unseen() const { return {}; }
  /// Takes programs out of what was added, by task key and programId.
  virtual void remove(const std::set<std::pair<std::string, std::string>>& programs) = 0;
  /// How well these records of the task are ranked now.
  virtual RankQuality quality(TunedTask& task, const std::vector<Record>& records) = 0;
  /// Learns from all that was added; of the task alone, where each has a model of its own.
  virtual UpdateReport update(TunedTask& task) = 0;
  virtual bool trained(const TunedTask& task) const = 0;
  /// Which part of a model that began as a trained one ranks programs of the task now (C39).
  virtual std::string ranking(const TunedTask&) const { return {}; }

  /// All that is trained, as bytes; empty when nothing is.
  virtual std::string save() const = 0;
  /// The inverse. Throws InputError for what is no such model.
  virtual void load(std::string_view bytes) = 0;
  /// Of what save() gave only what it knew before the session began: records of other tasks.
  virtual void loadHistory(std::string_view) {}

  /// What scores programs of sketches, or configurations of the task's template; null for the other
  /// space, and while it has not learned enough.
  virtual const CostScorer* scorer(const TunedTask&) const { return nullptr; }
  virtual const ConfigScorer* configScorer(const TunedTask&) const { return nullptr; }
  /// Since it was made.
  virtual ScoringTime scoringTime() const = 0;
};

/// One model for the programs of all tasks. It begins with what the session's file keeps (`kept`)
/// of a trained model, where the settings name one.
std::unique_ptr<RecordLearner> programLearner(const RunSettings& settings,
                                              const std::optional<std::string>& kept);
/// A model for the configurations of each task: templates have loops of their own.
std::unique_ptr<RecordLearner> configLearners(const RunSettings& settings, TaskBook& tasks);

} // namespace nestwright
