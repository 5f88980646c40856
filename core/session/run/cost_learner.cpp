#include "core/session/run/cost_learner.h"

#include "core/model/metrics.h"
#include "core/schedule/bounds.h"
#include "core/support/error.h"

#include <chrono>
#include <cmath>

namespace nestwright {

namespace {

using Clock = std::chrono::steady_clock;

double secondsBetween(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

/// The programs with their ranges; one that cannot be rebuilt is an empty state without features.
std::vector<State> rebuilt(std::span<const MeasuredProgram> programs) {
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

CostLearner::CostLearner(std::unique_ptr<CostModel> model, TargetFacts target, FeatureChoice choice)
    : model_(std::move(model)), target_(std::move(target)),
      options_(programFeatureOptions(choice, target_)), set_(options_.choice.columns()) {}

FeatureTable CostLearner::features(std::span<const State> programs) const {
  return tableOf(programFeatures(programs, options_));
}

FeatureTable CostLearner::tableOf(std::span<const ProgramFeatures> programs) const {
  FeatureTable table(options_.choice.columns());
  for (const ProgramFeatures& program : programs)
    table.add(program.values);
  return table;
}

void CostLearner::add(const std::vector<MeasuredProgram>& programs) {
  constexpr std::size_t kAtOnce = 1024; // programs whose loops are in memory
  for (std::size_t first = 0; first < programs.size(); first += kAtOnce) {
    const auto some =
        std::span(programs).subspan(first, std::min(kAtOnce, programs.size() - first));
    const std::vector<ProgramFeatures> made = programFeatures(rebuilt(some), options_);
    for (const ProgramFeatures& program : made)
      counts_ += program.counts;
    const FeatureTable table = tableOf(made);
    for (std::size_t i = 0; i < some.size(); ++i)
      set_.add(some[i].taskKey, some[i].programId, target_.id(), table.program(i), some[i].seconds);
  }
}

std::string CostLearner::unseen() const {
  return options_.choice.steps ? unseenText(counts_, options_.choice.steps->shape())
                               : std::string();
}

void CostLearner::remove(const std::set<std::pair<std::string, std::string>>& programs) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < set_.size(); ++i)
    if (!programs.contains({set_.tasks[set_.outcomes[i].task], set_.outcomes[i].program}))
      kept.push_back(i);
  set_ = select(set_, kept);
}

std::unique_ptr<CostLearner>
CostLearner::without(const std::set<std::pair<std::string, std::string>>& programs,
                     std::unique_ptr<CostModel> model) const {
  auto other = std::make_unique<CostLearner>(std::move(model), target_, options_.choice);
  other->set_ = set_;
  other->remove(programs);
  return other;
}

RankQuality CostLearner::quality(const std::vector<MeasuredProgram>& programs) const {
  if (!trained()) return {};
  if (programs.empty()) return {};
  const CostModel& model = model_->ofTask(programs.front().taskKey);
  const std::vector<double> scores = scoreBy(model, rebuilt(programs));
  std::vector<double> predicted, throughput;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (!std::isfinite(programs[i].seconds) || !std::isfinite(scores[i])) continue;
    predicted.push_back(scores[i]);
    throughput.push_back(1 / programs[i].seconds);
  }
  if (predicted.size() < 2) return {};
  return {predicted.size(), pairwiseAccuracy(predicted, throughput),
          rankCorrelation(predicted, throughput)};
}

UpdateReport CostLearner::update() {
  return model_->update(set_);
}

std::string CostLearner::ranking(const std::string& taskKey) const {
  return trained() ? model_->ofTask(taskKey).ranking() : std::string();
}

const CostScorer& CostLearner::scorerOf(const std::string& taskKey) const {
  return scorers_.try_emplace(taskKey, *this, taskKey).first->second;
}

std::vector<double> CostLearner::TaskScorer::score(std::span<const State> programs) const {
  return learner_.scoreBy(learner_.model_->ofTask(task_), programs);
}

std::map<std::string, double> CostLearner::TaskScorer::stageScores(const State& program) const {
  return learner_.stageScoresBy(learner_.model_->ofTask(task_), program);
}

std::vector<double> CostLearner::score(std::span<const State> programs) const {
  return scoreBy(*model_, programs);
}

std::map<std::string, double> CostLearner::stageScores(const State& program) const {
  return stageScoresBy(*model_, program);
}

std::vector<double> CostLearner::scoreBy(const CostModel& model,
                                         std::span<const State> programs) const {
  if (programs.empty()) return {};
  const Clock::time_point start = Clock::now();
  const FeatureTable table = features(programs);
  const Clock::time_point computed = Clock::now();
  std::vector<double> scores = model.predict(table).scores;
  scoringTime_.features += secondsBetween(start, computed);
  scoringTime_.predict += secondsBetween(computed, Clock::now());
  return scores;
}

std::map<std::string, double> CostLearner::stageScoresBy(const CostModel& model,
                                                         const State& program) const {
  if (options_.choice.steps) return {}; // rows of steps are of no stage
  const ProgramFeatures features = programFeatures(program, options_);
  FeatureTable table(options_.choice.columns());
  table.add(features.values);
  const Prediction prediction = model.predict(table);
  std::map<std::string, double> scores;
  for (std::size_t i = 0; i < prediction.rowScores.size(); ++i)
    scores[features.stages[i]] += prediction.rowScores[i];
  return scores;
}

} // namespace nestwright
