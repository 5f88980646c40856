#include "core/session/run/config_learner.h"

#include "core/feature/tree_features.h"
#include "core/model/metrics.h"
#include "core/plugin/plugin.h"
#include "core/session/run/pretrained/model_threads.h"
#include "core/session/run/session.h"
#include "core/support/clock.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace nestwright {

std::unique_ptr<CostModel> untaughtModel(const SessionConfig& config) {
  nlohmann::json options = {{"warmup", config.warmup}};
  if (costModelKind(config.model).takesPlan) options["plan"] = config.plan;
  return costModel(config.model, withThreads(config.model, std::move(options)));
}

ConfigLearner::ConfigLearner(std::unique_ptr<CostModel> model, LearnedTemplate about)
    : model_(std::move(model)), about_(std::move(about)),
      features_(about_.task, about_.of, about_.features) {}

void ConfigLearner::add(const std::vector<MeasuredConfig>& configs) {
  measured_.insert(measured_.end(), configs.begin(), configs.end());
}

void ConfigLearner::remove(const std::set<std::string>& programs) {
  std::erase_if(measured_, [&](const MeasuredConfig& measured) {
    return programs.contains(measured.programId);
  });
}

FeatureTable ConfigLearner::featuresOf(std::span<const std::int64_t> configs) const {
  std::vector<std::vector<float>> rows = features_.of(configs);
  if (about_.features == TemplateFeatureKind::Tree) {
    FeatureTable trees(TreeColumns::kCount);
    for (const std::vector<float>& nodes : rows)
      trees.add(nodes);
    return trees;
  }
  std::size_t columns = 1;
  for (const std::vector<float>& row : rows)
    columns = std::max(columns, row.size());
  FeatureTable table(columns);
  table.reserve(rows.size(), rows.size());
  for (std::vector<float>& row : rows) {
    row.resize(columns, 0); // nothing but zeros where the program cannot be made
    table.add(row);
  }
  return table;
}

UpdateReport ConfigLearner::update() {
  std::vector<std::int64_t> configs;
  for (const MeasuredConfig& measured : measured_)
    configs.push_back(measured.config);
  const FeatureTable features = featuresOf(configs);
  DataSet set(features.columns());
  for (std::size_t i = 0; i < measured_.size(); ++i)
    set.add(about_.taskKey, measured_[i].programId, about_.machine, features.program(i),
            measured_[i].seconds);
  return model_->update(set);
}

ConfigScores ConfigLearner::scoreConfigs(std::span<const std::int64_t> configs) const {
  if (configs.empty()) return {};
  const auto start = std::chrono::steady_clock::now();
  const FeatureTable features = featuresOf(configs);
  const double computed = secondsSince(start);
  Prediction prediction = model_->predict(features);
  scoringTime_.features += computed;
  scoringTime_.predict += secondsSince(start) - computed;
  return {std::move(prediction.scores), std::move(prediction.uncertainty)};
}

RankQuality ConfigLearner::quality(const std::vector<MeasuredConfig>& configs) const {
  if (!trained()) return {};
  std::vector<std::int64_t> ids;
  for (const MeasuredConfig& measured : configs)
    ids.push_back(measured.config);
  const std::vector<double> scores = scoreConfigs(ids).scores;
  std::vector<double> predicted, throughput;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!std::isfinite(configs[i].seconds) || !std::isfinite(scores[i])) continue;
    predicted.push_back(scores[i]);
    throughput.push_back(1 / configs[i].seconds);
  }
  if (predicted.size() < 2) return {};
  return {predicted.size(), pairwiseAccuracy(predicted, throughput),
          rankCorrelation(predicted, throughput)};
}

} // namespace nestwright
