#include "app/cli/show_features.h"

#include "core/plugin/plugin.h"
#include "core/search/search_policy.h"
#include "core/session/cost_learner.h"
#include "core/session/session.h"
#include "core/support/error.h"
#include "core/target/target_json.h"
#include "core/tensor/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestwright::cli {

namespace {

constexpr std::size_t kValueWidth = 14;
/// Contributions that are printed; the others are summed up.
constexpr std::size_t kShownContributions = 20;

/// The throughput of the record over that of the fastest program of its session and task.
std::optional<double> measuredShare(const RecordStore& store, const Record& record) {
  if (record.result.verdict != Verdict::Ok) return std::nullopt;
  RecordQuery query;
  query.task = record.task;
  query.session = record.session;
  query.verdict = Verdict::Ok;
  query.order = RecordQuery::Order::Fastest;
  query.limit = 1;
  return store.records(query).front().result.median() / record.result.median();
}

/// What one feature added to the score, over all statements.
struct Contribution {
  std::size_t column = 0;
  double added = 0;
};

/// Largest first, whatever the sign; without zeros.
std::vector<Contribution> contributions(const Explanation& explanation) {
  std::vector<Contribution> list;
  const std::vector<double> sums = explanation.byFeature();
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (sums[i] != 0) list.push_back({i, sums[i]});
  std::ranges::stable_sort(list, std::greater(),
                           [](const Contribution& c) { return std::abs(c.added); });
  return list;
}

double biasOf(const Explanation& explanation) {
  return std::accumulate(explanation.bias.begin(), explanation.bias.end(), 0.0);
}

float valueOf(const ShownFeatures& shown, std::size_t statement, std::size_t column) {
  return shown.features.values[statement * shown.choice.columns() + column];
}

/// A heading over the values of each statement.
std::string statementHeadings(const ShownFeatures& shown) {
  std::string text;
  for (const std::string& statement : shown.features.stages)
    text += fmt::format(" {:>{}}", statement, kValueWidth);
  return text;
}

std::string statementValues(const ShownFeatures& shown, std::size_t column) {
  std::string text;
  for (std::size_t i = 0; i < shown.features.stages.size(); ++i) {
    const float value = valueOf(shown, i, column);
    text += fmt::format(" {:>{}}", value == 0 ? std::string() : fmt::format("{:.6g}", value),
                        std::max(kValueWidth, shown.features.stages[i].size()));
  }
  return text;
}

} // namespace

TargetFacts targetOf(const RecordStore& store, const TaskRow& task) {
  for (const TargetRow& row : store.targets())
    if (row.id == task.target) return targetFactsFromJson(nlohmann::json::parse(row.facts));
  throw InputError(fmt::format("{} does not know the target of task {}", store.path(), task.id));
}

ShownFeatures readFeatures(const RecordStore& store, const Record& record, FeatureChoice choice) {
  const TaskRow task = *store.task(record.task);
  const ComputeDag dag = parseDag(task.dag);
  const ProgramFeatureOptions options = programFeatureOptions(choice, targetOf(store, task));
  return {choice, programFeatures(State::replay(dag, record.steps), options)};
}

std::string featuresText(const ShownFeatures& shown) {
  const std::vector<std::string> names = featureNames(shown.choice);
  const std::vector<std::string> meanings = featureMeanings(shown.choice);
  std::string text = fmt::format("{:<40}{}\n", "feature", statementHeadings(shown));
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{:<40}{}  {}\n", names[i], statementValues(shown, i), meanings[i]);
  return text;
}

nlohmann::json featuresJson(const ShownFeatures& shown) {
  auto statements = nlohmann::json::array();
  const auto columns = static_cast<std::ptrdiff_t>(shown.choice.columns());
  auto row = shown.features.values.begin();
  for (const std::string& stage : shown.features.stages) {
    statements.push_back(
        {{"statement", stage}, {"values", std::vector<float>(row, row + columns)}});
    row += columns;
  }
  return {{"names", featureNames(shown.choice)},
          {"meanings", featureMeanings(shown.choice)},
          {"statements", std::move(statements)}};
}

ExplainedScore explainScore(const RecordStore& store, const Record& record) {
  const std::optional<SessionRow> session = store.session(record.session);
  const SessionConfig config = sessionConfigFromJson(nlohmann::json::parse(session->config));
  const std::optional<std::string> saved = store.model(record.session, config.model);
  if (!saved)
    throw InputError(fmt::format(
        "session {} of {} has no cost model that could explain a score: {}", record.session,
        store.path(),
        config.policy == "evolutionary"
            ? fmt::format("it learns one once {} of its programs ran", config.warmup)
            : fmt::format("the policy \"{}\" learns none; tune with --policy evolutionary",
                          config.policy)));
  const std::unique_ptr<CostModel> model = costModel(config.model);
  model->load(*saved);

  ExplainedScore result;
  result.shown = readFeatures(store, record, featureChoice(config.features));
  FeatureTable table(result.shown.choice.columns());
  table.add(result.shown.features.values);
  result.explanation = model->explain(table, 0);
  if (!std::isfinite(result.explanation.score))
    throw InputError(fmt::format("the program of record {} has no features to score", record.id));
  result.predictedBefore = traceFromJson(nlohmann::json::parse(record.trace)).predictedScore;
  result.measured = measuredShare(store, record);
  return result;
}

std::string explanationText(const ExplainedScore& explained) {
  const ShownFeatures& shown = explained.shown;
  const std::vector<std::string> names = featureNames(shown.choice);
  const std::vector<std::string> meanings = featureMeanings(shown.choice);
  std::string text = fmt::format("score {:.4f}: the model expects this share of the throughput of "
                                 "the session's fastest program\n",
                                 explained.explanation.score);
  if (explained.measured) text += fmt::format("measured {:.4f}\n", *explained.measured);
  if (explained.predictedBefore)
    text += fmt::format("expected {:.4f} when it was proposed, before it was measured\n",
                        *explained.predictedBefore);
  text += fmt::format("\n{:>8}  {:<40}{}\n", "added", "by feature", statementHeadings(shown));
  const std::vector<Contribution> list = contributions(explained.explanation);
  const std::size_t count = std::min(list.size(), kShownContributions);
  for (const Contribution& c : std::span(list).first(count))
    text += fmt::format("{:>+8.4f}  {:<40}{}  {}\n", c.added, names[c.column],
                        statementValues(shown, c.column), meanings[c.column]);
  double others = 0;
  for (const Contribution& c : std::span(list).subspan(count))
    others += c.added;
  if (list.size() > count)
    text += fmt::format("{:>+8.4f}  {} other features (--json lists them)\n", others,
                        list.size() - count);
  return text + fmt::format("{:>+8.4f}  before anything is known of the program\n",
                            biasOf(explained.explanation));
}

nlohmann::json explanationJson(const ExplainedScore& explained) {
  const ShownFeatures& shown = explained.shown;
  const std::vector<std::string> names = featureNames(shown.choice);
  const std::vector<std::string> meanings = featureMeanings(shown.choice);
  const Explanation& explanation = explained.explanation;
  auto list = nlohmann::json::array();
  for (const Contribution& c : contributions(explanation)) {
    auto statements = nlohmann::json::array();
    for (std::size_t i = 0; i < shown.features.stages.size(); ++i)
      statements.push_back(
          {{"statement", shown.features.stages[i]},
           {"value", valueOf(shown, i, c.column)},
           {"added", explanation.contributions[i * explanation.columns + c.column]}});
    list.push_back({{"feature", names[c.column]},
                    {"meaning", meanings[c.column]},
                    {"added", c.added},
                    {"statements", std::move(statements)}});
  }
  nlohmann::json document{{"score", explanation.score},
                          {"bias", biasOf(explanation)},
                          {"contributions", std::move(list)}};
  if (explained.measured) document["measured"] = *explained.measured;
  if (explained.predictedBefore) document["predicted_before"] = *explained.predictedBefore;
  return document;
}

} // namespace nestwright::cli
