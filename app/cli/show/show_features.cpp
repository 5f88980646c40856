#include "app/cli/show/show_features.h"

#include "core/support/quantity.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright::cli {

namespace {

constexpr std::size_t kValueWidth = 14;
/// Contributions that are printed; the others are summed up.
constexpr std::size_t kShownContributions = 20;

float valueOf(const ProgramFeatures& shown, std::size_t statement, std::size_t column) {
  return shown.values[statement * shown.choice.columns() + column];
}

/// A heading over the values of each statement.
std::string statementHeadings(const ProgramFeatures& shown) {
  std::string text;
  for (const std::string& statement : shown.statements)
    text += fmt::format(" {:>{}}", statement, kValueWidth);
  return text;
}

std::string statementValues(const ProgramFeatures& shown, std::size_t column) {
  std::string text;
  for (std::size_t i = 0; i < shown.statements.size(); ++i) {
    const float value = valueOf(shown, i, column);
    text += fmt::format(" {:>{}}", value == 0 ? std::string() : fmt::format("{:.6g}", value),
                        std::max(kValueWidth, shown.statements[i].size()));
  }
  return text;
}

/// What each step of the program added, in their order: the steps are the program.
std::string stepsText(const ExplainedScore& explained) {
  std::string text = fmt::format("\n{:>8}  by step\n", "added");
  const std::vector<double> added = explained.explanation.byRow();
  for (std::size_t i = 0; i < added.size(); ++i)
    text += fmt::format("{:>+8.4f}  {:>2}  {}\n", added[i], i, explained.shown.statements[i]);
  return text;
}

std::string biasText(const ExplainedScore& explained) {
  return fmt::format("{:>+8.4f}  before anything is known of the program\n",
                     biasOf(explained.explanation));
}

} // namespace

std::string featuresText(const ProgramFeatures& shown) {
  const std::vector<std::string> names = featureNames(shown.choice);
  const std::vector<std::string> meanings = featureMeanings(shown.choice);
  std::string text = fmt::format("{:<40}{}\n", "feature", statementHeadings(shown));
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{:<40}{}  {}\n", names[i], statementValues(shown, i), meanings[i]);
  return text;
}

nlohmann::json featuresJson(const ProgramFeatures& shown) {
  auto statements = nlohmann::json::array();
  const auto columns = static_cast<std::ptrdiff_t>(shown.choice.columns());
  auto row = shown.values.begin();
  for (const std::string& stage : shown.statements) {
    statements.push_back(
        {{"statement", stage}, {"values", std::vector<float>(row, row + columns)}});
    row += columns;
  }
  return {{"names", featureNames(shown.choice)},
          {"meanings", featureMeanings(shown.choice)},
          {"statements", std::move(statements)}};
}

std::string explanationText(const ExplainedScore& explained) {
  const ProgramFeatures& shown = explained.shown;
  const std::vector<std::string> names = featureNames(shown.choice);
  const std::vector<std::string> meanings = featureMeanings(shown.choice);
  // What was trained elsewhere may know of orders alone.
  std::string text =
      fmt::format("score {:.4f}: {}\n", explained.explanation.score,
                  explained.ranking.empty()
                      ? "the model expects this share of the throughput of the session's fastest "
                        "program"
                      : "the higher it is, the faster the model expects the program to be");
  if (!explained.ranking.empty()) text += fmt::format("scored by {}\n", explained.ranking);
  if (explained.measured) text += fmt::format("measured {:.4f}\n", *explained.measured);
  if (explained.predictedBefore)
    text += fmt::format("expected {:.4f} when it was proposed, before it was measured\n",
                        *explained.predictedBefore);
  if (shown.choice.steps) return text + stepsText(explained) + biasText(explained);
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
    text += fmt::format("{:>+8.4f}  {} (--json lists them)\n", others,
                        quantity(std::int64_t(list.size() - count), "other feature"));
  return text + biasText(explained);
}

nlohmann::json explanationJson(const ExplainedScore& explained) {
  const ProgramFeatures& shown = explained.shown;
  const std::vector<std::string> names = featureNames(shown.choice);
  const std::vector<std::string> meanings = featureMeanings(shown.choice);
  const Explanation& explanation = explained.explanation;
  auto list = nlohmann::json::array();
  for (const Contribution& c : contributions(explanation)) {
    auto statements = nlohmann::json::array();
    for (std::size_t i = 0; i < shown.statements.size(); ++i)
      statements.push_back(
          {{"statement", shown.statements[i]},
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
  if (!explained.ranking.empty()) document["scored_by"] = explained.ranking;
  if (explained.measured) document["measured"] = *explained.measured;
  if (explained.predictedBefore) document["predicted_before"] = *explained.predictedBefore;
  return document;
}

} // namespace nestwright::cli
