#include "plugins/xgboost/xgboost_model.h"

#include "core/model/metrics.h"
#include "core/model/splits.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "plugins/xgboost/pack_sum.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestwright::xgboost {
namespace {

using nlohmann::json;

/// Version of the saved form: a line of JSON, then XGBoost's own UBJ.
constexpr int kFormat = 1;
constexpr const char* kKind = "nestwright xgboost model";
/// A row has a few hundred; XGBoost keeps a place for each of them in every thread.
constexpr std::size_t kMostColumns = 1 << 16;

std::vector<float> pick(const std::vector<float>& values, const std::vector<std::size_t>& chosen) {
  std::vector<float> picked;
  for (const std::size_t index : chosen)
    picked.push_back(values[index]);
  return picked;
}

/// Averages over tasks of how good the scores of the programs learned from are.
void measureFit(const DataSet& set, const std::vector<float>& labels,
                const std::vector<double>& scores, UpdateReport& report) {
  constexpr std::size_t kPeak = 32; // as the reference reports
  const std::vector<double> all(labels.begin(), labels.end());
  report.trainingRmse = rmse(scores, all);
  std::vector<TaskScores> tasks(set.tasks.size());
  for (std::size_t i = 0; i < set.size(); ++i) {
    tasks[set.outcomes[i].task].predictions.push_back(scores[i]);
    tasks[set.outcomes[i].task].labels.push_back(all[i]);
  }
  std::erase_if(tasks, [](const TaskScores& task) { return task.labels.empty(); });
  for (const TaskScores& task : tasks)
    report.trainingPeak +=
        averagePeakAt(kPeak, task.predictions, task.labels) / static_cast<double>(tasks.size());
}

/// Hash of everything that is saved but the hash itself.
std::string seal(const json& header, std::string_view ubj) {
  return hashHex(header.dump() + std::string(ubj));
}

/// The saved form's first line, checked together with the bytes that follow it.
json readHeader(std::string_view bytes, std::string_view& ubj) {
  const std::size_t end = bytes.find('\n');
  json header;
  if (end != std::string_view::npos) header = json::parse(bytes.substr(0, end), nullptr, false);
  if (!header.is_object() || header.value("kind", json()) != kKind)
    throw InputError("these bytes are no saved xgboost cost model");
  if (header.value("format", json()) != kFormat)
    throw InputError(fmt::format("the model was saved in form {} with XGBoost {}; this program "
                                 "reads form {}, with XGBoost {}",
                                 header.value("format", json()).dump(),
                                 header.value("xgboost", json()).dump(), kFormat,
                                 libraryVersion()));
  ubj = bytes.substr(end + 1);
  const json hash = header.value("hash", json());
  header.erase("hash");
  if (hash != seal(header, ubj))
    throw InputError(fmt::format("the saved xgboost model is damaged: its {} bytes do not have "
                                 "the hash that was stored with them",
                                 ubj.size()));
  return header;
}

/// What the header says of the model; the other fields of the header have been looked at.
template <class T>
T field(const json& header, const char* name) {
  try {
    return header.at(name).get<T>();
  } catch (const json::exception& e) {
    throw InputError(
        fmt::format("the saved xgboost model's {} cannot be read ({})", name, e.what()));
  }
}

/// How the saved model was trained, so that another version's defaults do not change how it goes on
/// (C43). What its caller sets stays.
Options keptOptions(const json& header, const Options& given) {
  Options kept = optionsFromJson(field<json>(header, "options"));
  kept.threads = given.threads;
  kept.warmup = given.warmup;
  return kept;
}

} // namespace

XgboostModel::XgboostModel(const Options& options) : options_(options) {}

void XgboostModel::requireReadable(const FeatureTable& batch) const {
  if (!booster_) throw InputError("the xgboost model has not learned anything yet");
  if (batch.columns() != history_.columns)
    throw InputError(fmt::format("the xgboost model reads {} features a row, these rows have {}",
                                 history_.columns, batch.columns()));
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
    return fmt::format("{} programs after {}", usable, history_.programs);
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
  const auto usable = static_cast<std::size_t>(std::ranges::count_if(
      set.outcomes, [](const Outcome& outcome) { return !outcome.failed(); }));
  if (!booster_ && usable <= options_.warmup) {
    report.reason =
        fmt::format("{} programs that ran, learning starts above {}", usable, options_.warmup);
    return report;
  }
  report.reason = fullTrainingReason(set, usable);
  const bool full = !report.reason.empty();
  if (!full) report.reason = fmt::format("{} programs after {}", usable, history_.programs);
  report.kind = full ? UpdateReport::Kind::Full : UpdateReport::Kind::Incremental;
  grow(set, full, report);
  if (!full) return report;
  history_ = {set.features.columns(), usable, {}, booster_->trees()};
  const std::vector<double> best = bestSeconds(set);
  for (std::size_t task = 0; task < best.size(); ++task)
    if (std::isfinite(best[task])) history_.best[set.tasks[task]] = best[task];
  return report;
}

void XgboostModel::grow(const DataSet& whole, bool full, UpdateReport& report) {
  const std::vector<std::size_t> chosen = thin(whole, {options_.maxRows, options_.newest});
  const DataSet set = select(whole, chosen);
  const std::vector<float> labels = pick(normalisedThroughput(whole), chosen);
  const Matrix matrix(set.features.values(), set.features.columns(), options_.threads);
  Booster booster = full ? Booster(options_, set.features.columns()) : *booster_;
  PackSum objective(set.features, labels, options_.eta);
  std::vector<double> scores = programScores(set.features, booster.trainingScores(matrix));
  double bestError = objective.weightedError(scores);
  int bestTrees = 0;
  const int wanted = full ? options_.maxTrees : options_.incrementTrees;
  for (int tree = 1; tree <= wanted && tree - bestTrees <= options_.patience; ++tree) {
    objective.update(scores);
    booster.boost(matrix, objective.gradients(), objective.hessians());
    scores = programScores(set.features, booster.trainingScores(matrix));
    ++report.treesAdded;
    const double error = objective.weightedError(scores);
    if (error >= bestError * (1 - options_.leastImprovement)) continue;
    bestError = error;
    bestTrees = tree;
  }
  report.programs = set.size();
  report.rows = set.features.rows();
  report.trees = booster.trees();
  measureFit(set, labels, scores, report);
  booster_ = std::move(booster);
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
  std::vector<double> shares = booster_->totalGain(history_.columns);
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (all <= 0) return {}; // it never found anything to split
  for (double& share : shares)
    share /= all;
  return shares;
}

std::string XgboostModel::save() const {
  if (!booster_) throw InputError("the xgboost model has not learned anything that could be saved");
  const std::string ubj = booster_->ubj();
  json header = {{"kind", kKind},
                 {"format", kFormat},
                 {"xgboost", libraryVersion()},
                 {"columns", history_.columns},
                 {"programs", history_.programs},
                 {"best", history_.best},
                 {"trees", history_.trees},
                 {"options", toJson(options_)}};
  header["hash"] = seal(header, ubj);
  return header.dump() + '\n' + ubj;
}

void XgboostModel::load(std::string_view bytes) {
  std::string_view ubj;
  const json header = readHeader(bytes, ubj);
  History history{field<std::size_t>(header, "columns"), field<std::size_t>(header, "programs"),
                  field<decltype(History::best)>(header, "best"), field<int>(header, "trees")};
  if (history.columns < 1 || history.columns > kMostColumns)
    throw InputError(fmt::format("the saved xgboost model reads {} features a row, where {} at "
                                 "most can be",
                                 history.columns, kMostColumns));
  const json writer = header.value("xgboost", json());
  const Options options = keptOptions(header, options_);
  Booster booster(options, ubj, history.columns,
                  writer.is_string() ? writer.get<std::string>() : writer.dump());
  // XGBoost finishes loading with the first prediction: done here, not by several threads at once.
  booster.predict(std::vector<float>(history.columns), history.columns);
  options_ = options;
  history_ = std::move(history);
  booster_ = std::move(booster);
}

} // namespace nestwright::xgboost
