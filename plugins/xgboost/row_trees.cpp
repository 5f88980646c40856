#include "plugins/xgboost/row_trees.h"

#include "plugins/xgboost/single_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nestwright::xgboost {

std::vector<float> predict(const RowTrees& trees, const FeatureTable& table) {
  return trees.booster.predict(singleRows(table, trees.columns), trees.columns);
}

void addContributions(const RowTrees& trees, const FeatureTable& table, double factor, int threads,
                      Explanation& explanation) {
  const Matrix matrix(singleRows(table, trees.columns), trees.columns, threads);
  const std::vector<float> values = trees.booster.contributions(matrix); // the last is the bias
  for (std::size_t column = 0; column < values.size(); ++column) {
    const bool isSeen = column < std::min(trees.columns, explanation.columns);
    (isSeen ? explanation.contributions[column] : explanation.bias.front()) +=
        static_cast<float>(factor * static_cast<double>(values[column]));
  }
}

Explanation emptyExplanation(const FeatureTable& table, double score) {
  Explanation explanation;
  explanation.score = score;
  explanation.columns = table.columns();
  if (table.empty() || table.blank(0)) return explanation;
  explanation.contributions.assign(table.columns(), 0);
  explanation.bias.assign(1, 0);
  return explanation;
}

std::vector<double> gainShares(const Booster& booster, std::size_t columns) {
  std::vector<double> shares = booster.totalGain(columns);
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (all <= 0) return {};
  for (double& share : shares)
    share /= all;
  return shares;
}

RowTrees loadRowTrees(const TreeParameters& parameters, std::string_view ubj, std::size_t columns,
                      const std::string& writer) {
  Booster booster(parameters, ubj, columns, writer);
  // XGBoost finishes loading with the first prediction: done here, not by several threads at once.
  booster.predict(std::vector<float>(columns), columns);
  return {std::move(booster), columns};
}

} // namespace nestwright::xgboost
