#include "plugins/xgboost/forest_model.h"

#include "core/model/training_fit.h"
#include "core/support/error.h"
#include "core/support/random.h"
#include "plugins/xgboost/exact_sums.h"
#include "plugins/xgboost/saved_model.h"
#include "plugins/xgboost/single_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nestwright::xgboost {
namespace {

using nlohmann::json;

constexpr const char* kForest = "forest";

/// How often each of `programs` is drawn in as many draws.
std::vector<float> bootstrap(std::size_t programs, std::uint64_t seed, int tree) {
  Random random = Random::stream(seed, "bootstrap", static_cast<std::uint64_t>(tree));
  std::vector<float> counts(programs, 0);
  for (std::size_t i = 0; i < programs; ++i)
    ++counts[random.below(programs)];
  return counts;
}

/// Adds a tree that knows nothing of the others: at score 0 the squared error of a label has the
/// slope -label, and a leaf is the mean of its labels.
void addTree(Booster& booster, const Matrix& matrix, const std::vector<float>& labels,
             std::vector<float> counts) {
  std::vector<float> slopes(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i)
    slopes[i] = -counts[i] * labels[i];
  roundForExactSums(slopes);
  booster.boost(matrix, slopes, counts);
}

/// Each tree's scores of rows, one after another.
std::vector<std::vector<float>> byTree(const Booster& booster, const std::vector<float>& rows,
                                       std::size_t columns) {
  std::vector<std::vector<float>> scores;
  for (int tree = 0; tree < booster.trees(); ++tree)
    scores.push_back(booster.predict(rows, columns, tree, tree + 1));
  return scores;
}

Prediction meanAndDeviation(const std::vector<std::vector<float>>& trees, std::size_t programs) {
  Prediction prediction;
  const auto count = static_cast<double>(trees.size());
  for (std::size_t i = 0; i < programs; ++i) {
    double mean = 0, squares = 0;
    for (const std::vector<float>& scores : trees)
      mean += static_cast<double>(scores[i]) / count;
    for (const std::vector<float>& scores : trees)
      squares += (static_cast<double>(scores[i]) - mean) * (static_cast<double>(scores[i]) - mean);
    prediction.scores.push_back(mean);
    prediction.uncertainty.push_back(std::sqrt(squares / count));
  }
  return prediction;
}

} // namespace

ForestModel::ForestModel(const ForestOptions& options) : options_(options) {}

void ForestModel::requireTrained() const {
  if (!trees_) throw InputError("the forest has not learned anything yet");
}

Prediction ForestModel::predict(const FeatureTable& batch) const {
  requireTrained();
  const std::size_t columns = trees_->columns;
  Prediction prediction = meanAndDeviation(
      byTree(trees_->booster, singleRows(batch, columns), columns), batch.programs());
  for (std::size_t program = 0; program < batch.programs(); ++program)
    if (batch.blank(program)) {
      prediction.scores[program] = kUnknownProgram;
      prediction.uncertainty[program] = 0;
    }
  return prediction;
}

UpdateReport ForestModel::update(const DataSet& whole) {
  requireSound(whole);
  const DataSet set = select(whole, learnable(whole, options_.maxPrograms));
  UpdateReport report;
  report.reason = whyTooFew(set, options_.warmup);
  if (!report.reason.empty()) return report;
  const std::size_t columns = set.features.columns();
  const std::vector<float> labels = normalisedThroughput(set);
  const std::vector<float> rows = singleRows(set.features, columns);
  const Matrix matrix(rows, columns, options_.threads);
  Booster booster(treeParameters(options_, columns), columns);
  for (int tree = 0; tree < options_.trees; ++tree)
    addTree(booster, matrix, labels, bootstrap(set.size(), options_.seed, tree));
  report.kind = UpdateReport::Kind::Full;
  report.reason = "anew, as after every plan";
  report.programs = report.rows = set.size();
  report.trees = report.treesAdded = booster.trees();
  measureFit(set, labels, meanAndDeviation(byTree(booster, rows, columns), set.size()).scores,
             report);
  trees_ = {std::move(booster), columns};
  return report;
}

Explanation ForestModel::explain(const FeatureTable& batch, std::size_t program) const {
  const std::size_t one[] = {program};
  const FeatureTable table = select(batch, one);
  Explanation explanation = emptyExplanation(table, predict(table).scores.front());
  if (!explanation.bias.empty())
    addContributions(*trees_, table, 1.0 / trees_->booster.trees(), options_.threads, explanation);
  return explanation;
}

std::vector<double> ForestModel::importance() const {
  requireTrained();
  return gainShares(trees_->booster, trees_->columns);
}

std::string ForestModel::save() const {
  if (!trees_) throw InputError("the forest has not learned anything that could be saved");
  return sealModel(kForest, {{"options", toJson(options_)}, {"columns", trees_->columns}},
                   trees_->booster.ubj());
}

void ForestModel::load(std::string_view bytes) {
  const SealedModel saved = openModel(kForest, bytes);
  const ForestOptions options =
      forestOptionsFromJson(savedOptions(kForest, saved.header, toJson(options_)));
  const std::size_t columns = savedColumns(kForest, saved.header, "columns");
  RowTrees trees =
      loadRowTrees(treeParameters(options, columns), saved.bytes, columns, savedBy(saved.header));
  options_ = options;
  trees_ = std::move(trees);
}

} // namespace nestwright::xgboost
