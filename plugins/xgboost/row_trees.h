#pragma once
/// \file Trees over programs of templates, which have one row each: asked about tables of any
/// width.

#include "core/model/cost_model.h"
#include "plugins/xgboost/booster.h"

namespace nestwright::xgboost {

struct RowTrees {
  Booster booster;
  std::size_t columns = 0;
};

/// Sums over the trees, one a program.
std::vector<float> predict(const RowTrees& trees, const FeatureTable& table);

/// Adds to the explanation of the table's only program what each of its features gave, times
/// `factor`. Columns that the table has not are zeros that the row was filled up with: what they
/// gave goes into the bias.
void addContributions(const RowTrees& trees, const FeatureTable& table, double factor, int threads,
                      Explanation& explanation);

/// An explanation of a program, of which nothing is known yet but that it has this score.
Explanation emptyExplanation(const FeatureTable& table, double score);

/// Of each column, its share in what all splits gained; empty where nothing was split.
std::vector<double> gainShares(const Booster& booster, std::size_t columns);

/// Trees of a saved model over rows of this width. Throws InputError.
RowTrees loadRowTrees(const TreeParameters& parameters, std::string_view ubj, std::size_t columns,
                      const std::string& writer);

} // namespace nestwright::xgboost
