#include "core/session/run/config_learner.h"

#include "core/model/metrics.h"
#include "core/support/clock.h"
#include "core/support/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

namespace nestwright {

namespace {

/// Filled up with zeros, or cut, to so many columns: loops that a configuration lacks or has alone.
void fit(std::vector<float>& features, std::size_t columns) {
  features.resize(columns, 0);
}

} // namespace

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

std::vector<std::vector<float>>
ConfigLearner::featuresOf(std::span<const std::int64_t> configs) const {
  return features_.of(configs);
}

UpdateReport ConfigLearner::update() {
  std::vector<std::int64_t> configs;
  for (const MeasuredConfig& measured : measured_)
    configs.push_back(measured.config);
  std::vector<std::vector<float>> features = featuresOf(configs);
  std::size_t columns = 1;
  for (const std::vector<float>& row : features)
    columns = std::max(columns, row.size());
  DataSet set(columns);
  for (std::size_t i = 0; i < measured_.size(); ++i) {
    fit(features[i], columns);
    set.add(about_.taskKey, measured_[i].programId, about_.machine, features[i],
            measured_[i].seconds);
  }
  const UpdateReport report = model_->update(set);
  if (report.kind != UpdateReport::Kind::Skipped) columns_ = columns;
  return report;
}

ConfigScores ConfigLearner::scoreConfigs(std::span<const std::int64_t> configs) const {
  if (configs.empty()) return {};
  const auto start = std::chrono::steady_clock::now();
  FeatureTable table(columns_);
  for (std::vector<float>& row : featuresOf(configs)) {
    fit(row, columns_);
    table.add(row);
  }
  const double computed = secondsSince(start);
  Prediction prediction = model_->predict(table);
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

std::string ConfigLearner::save() const {
  return fmt::format("{} {}", columns_, model_->save());
}

void ConfigLearner::load(std::string_view bytes) {
  const std::size_t space = bytes.find(' ');
  constexpr std::size_t kMostColumns = std::size_t{1} << 24;
  std::size_t columns = 0;
  const char* end = bytes.data() + std::min(space, bytes.size());
  const auto [stop, error] = std::from_chars(bytes.data(), end, columns);
  if (space == std::string_view::npos || error != std::errc() || stop != end || columns == 0 ||
      columns > kMostColumns)
    throw InputError("this is no cost model of a template's configurations");
  model_->load(bytes.substr(space + 1));
  columns_ = columns;
}

} // namespace nestwright
