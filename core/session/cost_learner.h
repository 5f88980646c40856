#pragma once
/// \file What a session's cost model learns from and answers: programs become features,
/// measurements become a data set, predictions become scores for the search.

#include "core/model/cost_model.h"
#include "core/search/search_policy.h"
#include "core/target/target.h"

#include <memory>
#include <string>
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
  std::size_t programs = 0; // 0: the model was not trained yet
  double rankAccuracy = 0;  // share of pairs in the right order
};

class CostLearner final : public CostScorer {
 public:
  CostLearner(std::unique_ptr<CostModel> model, TargetFacts target);

  /// Appends measurements to the data set, oldest first; features are computed on all cores.
  void add(const std::vector<MeasuredProgram>& programs);
  /// How well the model ranks these measurements of one task now.
  RankQuality quality(const std::vector<MeasuredProgram>& programs) const;
  /// Learns from all that was added.
  UpdateReport update();

  bool trained() const { return model_->trained(); }
  std::string save() const { return model_->save(); }
  void load(std::string_view bytes) { model_->load(bytes); }

  std::vector<double> score(std::span<const State> programs) const override;
  std::map<std::string, double> stageScores(const State& program) const override;

 private:
  FeatureTable features(std::span<const State> programs) const;

  std::unique_ptr<CostModel> model_;
  TargetFacts target_;
  DataSet set_;
};

} // namespace nestwright
