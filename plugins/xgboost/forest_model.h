#pragma once
/// \file AdaTune's surrogate (handbook/cost-models.md 4.1): a bagged forest whose trees' agreement
/// says how sure it is.

#include "core/model/cost_model.h"
#include "plugins/xgboost/forest_options.h"
#include "plugins/xgboost/row_trees.h"

#include <optional>

namespace nestwright::xgboost {

class ForestModel final : public CostModel {
 public:
  explicit ForestModel(const ForestOptions& options);
  std::string name() const override { return "forest"; }
  bool trained() const override { return trees_.has_value(); }
  /// Scores are the trees' means, uncertainties their population standard deviations.
  Prediction predict(const FeatureTable& batch) const override;
  UpdateReport update(const DataSet& set) override;
  Explanation explain(const FeatureTable& batch, std::size_t program) const override;
  std::vector<double> importance() const override;
  std::string save() const override;
  void load(std::string_view bytes) override;

 private:
  void requireTrained() const;

  ForestOptions options_;
  std::optional<RowTrees> trees_; // their sums are the scores times the number of trees
};

} // namespace nestwright::xgboost
