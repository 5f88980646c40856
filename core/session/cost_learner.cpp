#include "core/session/cost_learner.h"

#include "core/feature/statement_features.h"
#include "core/model/metrics.h"
#include "core/schedule/bounds.h"
#include "core/support/error.h"

#include <cmath>
#include <thread>

namespace nestwright {

namespace {

int allCores() {
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

/// The programs with their ranges; one that cannot be rebuilt is an empty state without features.
std::vector<State> rebuilt(const std::vector<MeasuredProgram>& programs) {
  std::vector<State> states;
  for (const MeasuredProgram& program : programs) {
    try {
      states.push_back(withBounds(State::replay(*program.dag, program.steps)));
    } catch (const IllegalSchedule&) {
      states.emplace_back(); // its verdict was "illegal": nothing is known of it
    }
  }
  return states;
}

} // namespace

CostLearner::CostLearner(std::unique_ptr<CostModel> model, TargetFacts target)
    : model_(std::move(model)), target_(std::move(target)), set_(kFeatureCount) {}

FeatureTable CostLearner::features(std::span<const State> programs) const {
  FeatureOptions options;
  options.cacheLineBytes = target_.cacheLineBytes;
  const FeatureMatrix matrix = featureMatrix(programs, allCores(), options);
  FeatureTable table(kFeatureCount);
  table.reserve(matrix.programs(), matrix.rows.size());
  for (std::size_t i = 0; i < matrix.programs(); ++i) {
    const auto rows = matrix.rowsOf(i);
    table.add(std::span(rows.empty() ? nullptr : rows.front().data(), rows.size() * kFeatureCount));
  }
  return table;
}

void CostLearner::add(const std::vector<MeasuredProgram>& programs) {
  const FeatureTable table = features(rebuilt(programs));
  for (std::size_t i = 0; i < programs.size(); ++i)
    set_.add(programs[i].taskKey, programs[i].programId, target_.id(), table.program(i),
             programs[i].seconds);
}

RankQuality CostLearner::quality(const std::vector<MeasuredProgram>& programs) const {
  if (!trained()) return {};
  const std::vector<double> scores = score(rebuilt(programs));
  std::vector<double> predicted, throughput;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (!std::isfinite(programs[i].seconds) || !std::isfinite(scores[i])) continue;
    predicted.push_back(scores[i]);
    throughput.push_back(1 / programs[i].seconds);
  }
  if (predicted.size() < 2) return {};
  return {predicted.size(), pairwiseAccuracy(predicted, throughput)};
}

UpdateReport CostLearner::update() {
  return model_->update(set_);
}

std::vector<double> CostLearner::score(std::span<const State> programs) const {
  if (programs.empty()) return {};
  return model_->predict(features(programs)).scores;
}

std::map<std::string, double> CostLearner::stageScores(const State& program) const {
  FeatureOptions options;
  options.cacheLineBytes = target_.cacheLineBytes;
  const std::vector<StatementFeatures> statements = statementFeatures(program, options);
  FeatureTable table(kFeatureCount);
  std::vector<float> values;
  for (const StatementFeatures& statement : statements)
    values.insert(values.end(), statement.values.begin(), statement.values.end());
  table.add(values);
  const Prediction prediction = model_->predict(table);
  std::map<std::string, double> scores;
  for (std::size_t i = 0; i < prediction.rowScores.size(); ++i)
    scores[statements[i].statement] += prediction.rowScores[i];
  return scores;
}

} // namespace nestwright
