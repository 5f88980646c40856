#pragma once
/// \file What a session's cost model of one template learns from and answers: configurations become
/// features, measurements become a data set, predictions become scores (handbook/cost-models.md
/// 3.5).

#include "core/feature/template_features.h"
#include "core/model/cost_model.h"
#include "core/search/config_scorer.h"
#include "core/search/search_policy.h"
#include "core/session/run/cost_learner.h"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

struct SessionConfig;

/// The cost model of configurations that the settings ask for. It has learned nothing yet.
std::unique_ptr<CostModel> untaughtModel(const SessionConfig& config);

/// A task whose template is searched; both parts outlive whoever learns of it.
struct LearnedTemplate {
  const ComputeDag& task;
  const TaskTemplate& of;
  std::string taskKey, machine; // id of the target
  TemplateFeatureKind features = TemplateFeatureKind::Itervar;
};

class ConfigLearner final : public ConfigScorer {
 public:
  ConfigLearner(std::unique_ptr<CostModel> model, LearnedTemplate about);

  /// Appends measurements, oldest first.
  void add(const std::vector<MeasuredConfig>& configs);
  /// Forgets the measurements of these programs. What the model learned from them fades as it
  /// learns on.
  void remove(const std::set<std::string>& programs);
  /// How well the model ranks these measurements now.
  RankQuality quality(const std::vector<MeasuredConfig>& configs) const;
  /// Learns from all that was added.
  UpdateReport update();

  bool trained() const { return model_->trained(); }
  std::string save() const { return model_->save(); }
  void load(std::string_view bytes) { model_->load(bytes); }

  /// Of scoreConfigs() alone. To be asked by the thread that calls it.
  ScoringTime scoringTime() const { return scoringTime_; }

  ConfigScores scoreConfigs(std::span<const std::int64_t> configs) const override;

 private:
  /// A row for each, as long as the longest: configurations differ in the loops that they have. Of
  /// trees the rows of each.
  FeatureTable featuresOf(std::span<const std::int64_t> configs) const;

  std::unique_ptr<CostModel> model_;
  LearnedTemplate about_;
  std::vector<MeasuredConfig> measured_;
  mutable TemplateFeatures features_; // keeps what it computed
  mutable ScoringTime scoringTime_;
};

} // namespace nestwright
