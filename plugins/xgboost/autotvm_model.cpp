#include "plugins/xgboost/autotvm_model.h"

#include "core/model/history_weight.h"
#include "core/model/metrics.h"
#include "core/model/training_fit.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "plugins/xgboost/ranking_loss.h"
#include "plugins/xgboost/saved_model.h"
#include "plugins/xgboost/single_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nestwright::xgboost {
namespace {

using nlohmann::json;

constexpr const char* kAutoTvm = "autotvm";

/// The starting scores with what the trees add.
std::vector<double> sums(const std::vector<double>& start, const std::vector<float>& added) {
  std::vector<double> scores = start;
  for (std::size_t i = 0; i < scores.size(); ++i)
    scores[i] += static_cast<double>(added[i]);
  return scores;
}

} // namespace

AutoTvmModel::AutoTvmModel(AutoTvmOptions options) : options_(std::move(options)) {}

void AutoTvmModel::requireTrained() const {
  if (!trained()) throw InputError("the autotvm model has not learned anything yet");
}

double AutoTvmModel::historyCounts() const {
  const double factor = historyWeight(learned_);
  return history_ && factor >= kLeastHistoryWeight ? factor : 0;
}

std::vector<double> AutoTvmModel::historyScores(const FeatureTable& table, double counts) const {
  std::vector<double> scores(table.programs(), 0);
  if (counts == 0) return scores;
  const std::vector<float> whole = xgboost::predict(*history_, table);
  for (std::size_t i = 0; i < scores.size(); ++i)
    scores[i] = counts * static_cast<double>(whole[i]);
  return scores;
}

Prediction AutoTvmModel::predict(const FeatureTable& batch) const {
  requireTrained();
  Prediction prediction;
  prediction.scores = historyScores(batch, historyCounts());
  if (own_) prediction.scores = sums(prediction.scores, xgboost::predict(*own_, batch));
  for (std::size_t program = 0; program < batch.programs(); ++program)
    if (batch.blank(program)) prediction.scores[program] = kUnknownProgram;
  return prediction;
}

RowTrees AutoTvmModel::fit(const DataSet& set, const std::vector<double>& start,
                           const Limits& limits, UpdateReport& report) const {
  const std::size_t columns = set.features.columns();
  const std::vector<float> labels = normalisedThroughput(set);
  const std::vector<double> targets(labels.begin(), labels.end());
  const std::vector<std::size_t> ranks = descendingRanks(targets);
  const Matrix matrix(singleRows(set.features, columns), columns, options_.threads);
  const PairwiseRank pairs(labels);
  Booster booster(treeParameters(options_), columns);
  std::vector<double> scores = start;
  double best = -1;
  for (int round = 1, bestRound = 0; round <= limits.rounds && round - bestRound <= limits.patience;
       ++round) {
    Gradients gradients = options_.loss == "rank" ? pairs.gradients(scores, options_.seed, round)
                                                  : squaredError(scores, labels);
    booster.boost(matrix, gradients.slopes, gradients.hessians);
    scores = sums(start, booster.trainingScores(matrix));
    const double recall = averageRecallAt(limits.recallAt, scores, ranks);
    if (recall <= best) continue;
    best = recall;
    bestRound = round;
  }
  report.kind = UpdateReport::Kind::Full;
  report.programs = report.rows = set.size();
  report.trees = report.treesAdded = booster.trees();
  report.trainingRecall = averageRecallAt(limits.recallAt, scores, ranks);
  measureFit(set, labels, scores, report);
  if (options_.loss == "rank") report.trainingRmse.reset(); // only the order of the scores counts
  return {std::move(booster), columns};
}

UpdateReport AutoTvmModel::update(const DataSet& whole) {
  requireSound(whole);
  const DataSet set = select(whole, learnable(whole, options_.maxPrograms));
  UpdateReport report;
  report.reason = whyTooFew(set, options_.warmup);
  if (!report.reason.empty()) return report;
  if (history_ && historyWeight(set.size()) < kLeastHistoryWeight) history_.reset();
  const double counts = history_ ? historyWeight(set.size()) : 0;
  report.reason = counts > 0 ? fmt::format("anew; what other tasks taught counts {:.2f}", counts)
                             : "anew, as after every plan";
  own_ = fit(set, historyScores(set.features, counts),
             {options_.rounds, options_.patience, static_cast<std::size_t>(options_.plan)}, report);
  learned_ = set.size();
  return report;
}

UpdateReport AutoTvmModel::learnHistory(const DataSet& whole) {
  requireSound(whole);
  const DataSet set = select(whole, learnable(whole, options_.maxPrograms));
  if (set.size() < options_.leastHistory)
    throw InputError(fmt::format("{} of other tasks cannot be learned from: it takes "
                                 "{} of the same template",
                                 quantity(std::int64_t(set.size()), "record"),
                                 options_.leastHistory));
  UpdateReport report;
  report.reason = "records of other tasks";
  history_ = fit(set, std::vector<double>(set.size(), 0),
                 {options_.historyRounds, options_.historyPatience,
                  2 * static_cast<std::size_t>(options_.plan)},
                 report);
  return report;
}

Explanation AutoTvmModel::explain(const FeatureTable& batch, std::size_t program) const {
  const std::size_t one[] = {program};
  const FeatureTable table = select(batch, one);
  Explanation explanation = emptyExplanation(table, predict(table).scores.front());
  if (explanation.bias.empty()) return explanation;
  if (own_) addContributions(*own_, table, 1, options_.threads, explanation);
  if (const double counts = historyCounts(); counts > 0)
    addContributions(*history_, table, counts, options_.threads, explanation);
  return explanation;
}

std::vector<double> AutoTvmModel::importance() const {
  requireTrained();
  const RowTrees& trees = own_ ? *own_ : *history_;
  return gainShares(trees.booster, trees.columns);
}

std::string AutoTvmModel::save() const {
  if (!trained())
    throw InputError("the autotvm model has not learned anything that could be saved");
  json header = {{"options", toJson(options_)}, {"learned", learned_}};
  std::string bytes;
  const auto add = [&](const std::optional<RowTrees>& trees, const char* columns,
                       const char* length) {
    const std::string ubj = trees ? trees->booster.ubj() : std::string();
    header[columns] = trees ? trees->columns : 0;
    header[length] = ubj.size();
    bytes += ubj;
  };
  add(own_, "columns", "bytes");
  add(history_, "historyColumns", "historyBytes");
  return sealModel(kAutoTvm, std::move(header), bytes);
}

void AutoTvmModel::load(std::string_view bytes) {
  const SealedModel saved = openModel(kAutoTvm, bytes);
  const json& header = saved.header;
  const std::string_view trees = saved.bytes;
  const auto length = savedField<std::size_t>(kAutoTvm, header, "bytes");
  const auto historyLength = savedField<std::size_t>(kAutoTvm, header, "historyBytes");
  if (length > trees.size() || historyLength != trees.size() - length || trees.empty())
    throw InputError(fmt::format("the saved autotvm model has {} of trees, and says "
                                 "otherwise",
                                 quantity(std::ssize(trees), "byte")));
  AutoTvmOptions options = autoTvmOptionsFromJson(savedOptions(kAutoTvm, header, toJson(options_)));
  const auto learned = savedField<std::size_t>(kAutoTvm, header, "learned");
  const auto part = [&](const char* columns, std::string_view ubj) -> std::optional<RowTrees> {
    if (ubj.empty()) return std::nullopt;
    return loadRowTrees(treeParameters(options), ubj, savedColumns(kAutoTvm, header, columns),
                        savedBy(header));
  };
  std::optional<RowTrees> own = part("columns", trees.substr(0, length));
  std::optional<RowTrees> history = part("historyColumns", trees.substr(length));
  options_ = std::move(options);
  learned_ = learned;
  own_ = std::move(own);
  history_ = std::move(history);
}

} // namespace nestwright::xgboost
