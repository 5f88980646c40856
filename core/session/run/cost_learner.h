#pragma once
/// \file What a session's cost model learns from and answers: programs become features,
/// measurements become a data set, predictions become scores for the search.

#include "core/dataset/feature_options.h"
#include "core/model/cost_model.h"
#include "core/search/search_policy.h"
#include "core/target/target.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nestwright {

/// One measured program.
struct MeasuredProgram {
  std::string taskKey;
  const ComputeDag* dag = nullptr; // alive during the call
  Steps steps;
  std::string programId;
  double seconds = 0; // infinity when it failed
};

/// How well the model ranked a batch before it learned from it (C39).
struct RankQuality {
  std::size_t programs = 0;   // 0: the model was not trained yet
  double rankAccuracy = 0;    // share of pairs in the right order
  double rankCorrelation = 0; // Kendall's tau-b
};

/// Seconds that a learner spent on answering, since it was made.
struct ScoringTime {
  double features = 0, predict = 0;
  ScoringTime operator-(const ScoringTime& other) const {
    return {features - other.features, predict - other.predict};
  }
};

class CostLearner final : public CostScorer {
 public:
  CostLearner(std::unique_ptr<CostModel> model, TargetFacts target, FeatureChoice choice = {});

  /// Appends measurements to the data set, oldest first; features are computed on all cores.
  void add(const std::vector<MeasuredProgram>& programs);
  /// Takes programs out of the data set, by task key and programId. What the model learned from
  /// them fades as it learns on.
  void remove(const std::set<std::pair<std::string, std::string>>& programs);
  /// A learner of the same data set without these programs, by task key and programId, whose model
  /// has learned nothing yet. Features are not computed again.
  std::unique_ptr<CostLearner>
  without(const std::set<std::pair<std::string, std::string>>& programs,
          std::unique_ptr<CostModel> model) const;
  /// How well the model ranks these measurements of one task now.
  RankQuality quality(const std::vector<MeasuredProgram>& programs) const;
  /// Learns from all that was added.
  UpdateReport update();

  /// What of the steps of the programs that were added the model does not know or see, a sentence;
  /// empty where there is nothing of it, and of features that are no steps.
  std::string unseen() const;

  bool trained() const { return model_->trained(); }
  /// Which part of the model ranks programs of the task now (CostModel::ranking); empty for a model
  /// that has none, or is not trained.
  std::string ranking(const std::string& taskKey) const;
  /// What scores programs of the task, which may have a model of its own; alive as long as this.
  const CostScorer& scorerOf(const std::string& taskKey) const;
  std::string save() const { return model_->save(); }
  void load(std::string_view bytes) { model_->load(bytes); }

  /// Of score() alone. To be asked by the thread that calls it.
  ScoringTime scoringTime() const { return scoringTime_; }

  std::vector<double> score(std::span<const State> programs) const override;
  std::map<std::string, double> stageScores(const State& program) const override;

 private:
  /// Asks the task's model.
  class TaskScorer final : public CostScorer {
   public:
    TaskScorer(const CostLearner& learner, std::string task)
        : learner_(learner), task_(std::move(task)) {}
    std::vector<double> score(std::span<const State> programs) const override;
    std::map<std::string, double> stageScores(const State& program) const override;

   private:
    const CostLearner& learner_;
    std::string task_;
  };

  std::vector<double> scoreBy(const CostModel& model, std::span<const State> programs) const;
  std::map<std::string, double> stageScoresBy(const CostModel& model, const State& program) const;
  FeatureTable features(std::span<const State> programs) const;
  FeatureTable tableOf(std::span<const ProgramFeatures> programs) const;

  std::unique_ptr<CostModel> model_;
  TargetFacts target_;
  ProgramFeatureOptions options_;
  DataSet set_;
  PrimitiveCounts counts_; // of programs that were added
  mutable ScoringTime scoringTime_;
  mutable std::map<std::string, TaskScorer> scorers_; // by workload key
};

} // namespace nestwright
