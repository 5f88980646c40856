#include "plugins/xgboost/xgboost_model.h"

#include "core/model/thinning.h"
#include "core/model/training_fit.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "plugins/xgboost/pack_sum.h"
#include "plugins/xgboost/row_trees.h"
#include "plugins/xgboost/saved_model.h"
#include "plugins/xgboost/single_rows.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace nestwright::xgboost {
namespace {

using nlohmann::json;

constexpr const char* kXgboost = "xgboost";

} // namespace

XgboostModel::XgboostModel(const Options& options) : options_(options) {}

void XgboostModel::requireReadable(const FeatureTable& batch) const {
  if (!booster_) throw InputError("the xgboost model has not learned anything yet");
  if (batch.columns() != history_.columns)
    throw InputError(fmt::format("the xgboost model reads {} a row, these rows have {}",
                                 quantity(std::int64_t(history_.columns), "feature"),
                                 batch.columns()));
}

Prediction XgboostModel::predict(const FeatureTable& batch) const {
  requireReadable(batch);
  Prediction prediction;
  prediction.rowScores = booster_->predict(batch.values(), batch.columns());
  prediction.scores = programScores(batch, prediction.rowScores);
  for (std::size_t program = 0; program < batch.programs(); ++program)
    if (batch.blank(program)) prediction.scores[program] = kUnknownProgram;
  return prediction;
}

std::string XgboostModel::fullTrainingReason(const DataSet& set, std::size_t usable) const {
  if (!booster_) return "the first training";
  if (set.features.columns() != history_.columns) return "the features are others";
  const auto due = static_cast<double>(history_.programs) * (1 + options_.retrainGrowth);
  if (static_cast<double>(usable) >= due)
    return fmt::format("{} after {}", quantity(std::int64_t(usable), "program"), history_.programs);
  if (booster_->trees() - history_.trees >= options_.maxTrees)
    return "many trees were added one by one";
  const std::vector<double> best = bestSeconds(set);
  for (std::size_t task = 0; task < best.size(); ++task) {
    const auto before = history_.best.find(set.tasks[task]);
    if (!std::isfinite(best[task])) continue;
    if (before == history_.best.end()) return "a task is new";
    if (best[task] < before->second * (1 - options_.retrainImprovement))
      return "a task's best changed its labels";
  }
  return "";
}

UpdateReport XgboostModel::update(const DataSet& set) {
  requireSound(set);
  UpdateReport report;
  const std::size_t usable = countUsable(set);
  if (!booster_ && usable <= options_.warmup) {
    report.reason = fmt::format("{} that ran, learning starts above {}",
                                quantity(std::int64_t(usable), "program"), options_.warmup);
    return report;
  }
  const bool tunes = booster_ && options_.tuningTrees > 0;
  if (tunes) requireSound(set, history_.columns);
  if (!tunes) report.reason = fullTrainingReason(set, usable);
  const bool full = !report.reason.empty();
  if (tunes)
    report.reason =
        fmt::format("the trained model went on with {}", quantity(std::int64_t(usable), "program"));
  else if (!full)
    report.reason =
        fmt::format("{} after {}", quantity(std::int64_t(usable), "program"), history_.programs);
  report.kind = full ? UpdateReport::Kind::Full : UpdateReport::Kind::Incremental;
  grow(set, thin(set, {options_.maxRows, options_.newest}), full, report);
  if (full) remember(set, usable);
  return report;
}

UpdateReport XgboostModel::learn(const DataSet& set, std::span<const std::size_t> programs,
                                 const LearningWatch& watch) {
  requireSound(set);
  UpdateReport report{.kind = UpdateReport::Kind::Full, .reason = "all of it, anew"};
  if (!grow(set, programs, true, report, watch)) return {.reason = "it was told to stop"};
  remember(set, programs.size());
  return report;
}

void XgboostModel::remember(const DataSet& set, std::size_t programs) {
  history_ = {set.features.columns(), programs, {}, booster_->trees()};
  const std::vector<double> best = bestSeconds(set);
  for (std::size_t task = 0; task < best.size(); ++task)
    if (std::isfinite(best[task])) history_.best[set.tasks[task]] = best[task];
}

bool XgboostModel::grow(const DataSet& whole, std::span<const std::size_t> chosen, bool full,
                        UpdateReport& report, const LearningWatch& watch) {
  const DataSet set = select(whole, chosen);
  const std::vector<float> labels = select(labelsToLearn(whole), chosen);
  const Matrix matrix(set.features.values(), set.features.columns(), options_.threads);
  Booster booster = full ? Booster(treeParameters(options_), set.features.columns()) : *booster_;
  const bool alike = options_.weights == "none";
  PackSum objective(set.features, labels, alike ? std::vector<float>(labels.size(), 1) : labels,
                    options_.eta);
  std::vector<double> scores = programScores(set.features, booster.trainingScores(matrix));
  double bestError = objective.weightedError(scores);
  int bestTrees = 0, threads = options_.threads;
  const int wanted = options_.tuningTrees > 0 && !full ? options_.tuningTrees
                     : full                            ? options_.maxTrees
                                                       : options_.incrementTrees;
  for (int tree = 1; tree <= wanted && tree - bestTrees <= options_.patience; ++tree) {
    objective.update(scores);
    booster.boost(matrix, objective.gradients(), objective.hessians());
    scores = programScores(set.features, booster.trainingScores(matrix));
    ++report.treesAdded;
    const double error = objective.weightedError(scores);
    if (watch) {
      const int next = watch({tree, wanted, error});
      if (next == 0) return false;
      if (next != threads) booster.useThreads(threads = next);
    }
    if (error >= bestError * (1 - options_.leastImprovement)) continue;
    bestError = error;
    bestTrees = tree;
  }
  report.programs = set.size();
  report.rows = set.features.rows();
  report.trees = booster.trees();
  measureFit(set, labels, scores, report);
  if (threads != options_.threads) booster.useThreads(options_.threads);
  booster_ = std::move(booster);
  return true;
}

Explanation XgboostModel::explain(const FeatureTable& batch, std::size_t program) const {
  requireReadable(batch);
  Explanation explanation;
  explanation.columns = batch.columns();
  if (batch.blank(program)) {
    explanation.score = kUnknownProgram;
    return explanation;
  }
  const std::size_t one[] = {program};
  const FeatureTable table = select(batch, one);
  explanation.score = predict(table).scores.front();
  const Matrix matrix(table.values(), table.columns(), options_.threads);
  const std::vector<float> values = booster_->contributions(matrix);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * (table.columns() + 1));
    const auto end = begin + static_cast<std::ptrdiff_t>(table.columns());
    explanation.contributions.insert(explanation.contributions.end(), begin, end);
    explanation.bias.push_back(*end);
  }
  return explanation;
}

std::vector<double> XgboostModel::importance() const {
  if (!booster_) throw InputError("the xgboost model has not learned anything yet");
  return gainShares(*booster_, history_.columns);
}

std::string XgboostModel::save() const {
  if (!booster_) throw InputError("the xgboost model has not learned anything that could be saved");
  return sealModel(kXgboost,
                   {{"columns", history_.columns},
                    {"programs", history_.programs},
                    {"best", history_.best},
                    {"trees", history_.trees},
                    {"options", toJson(options_)}},
                   booster_->ubj());
}

void XgboostModel::load(std::string_view bytes) {
  const SealedModel saved = openModel(kXgboost, bytes);
  const json& header = saved.header;
  History history{savedColumns(kXgboost, header, "columns"),
                  savedField<std::size_t>(kXgboost, header, "programs"),
                  savedField<decltype(History::best)>(kXgboost, header, "best"),
                  savedField<int>(kXgboost, header, "trees")};
  const Options options = optionsFromJson(savedOptions(kXgboost, header, toJson(options_)));
  Booster booster =
      loadRowTrees(treeParameters(options), saved.bytes, history.columns, savedBy(header)).booster;
  options_ = options;
  history_ = std::move(history);
  booster_ = std::move(booster);
}

} // namespace nestwright::xgboost
