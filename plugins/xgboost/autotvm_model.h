#pragma once
/// \file AutoTVM's cost model (handbook/cost-models.md 3.6): shallow trees that learn the order of
/// a task's programs, anew after every plan, upon what other tasks' records taught.

#include "core/model/cost_model.h"
#include "plugins/xgboost/autotvm_options.h"
#include "plugins/xgboost/row_trees.h"

#include <optional>

namespace nestwright::xgboost {

class AutoTvmModel final : public CostModel {
 public:
  explicit AutoTvmModel(AutoTvmOptions options);
  std::string name() const override { return "autotvm"; }
  /// From the history alone, too.
  bool trained() const override { return own_ || history_; }
  Prediction predict(const FeatureTable& batch) const override;
  UpdateReport update(const DataSet& set) override;
  UpdateReport learnHistory(const DataSet& set) override;
  Explanation explain(const FeatureTable& batch, std::size_t program) const override;
  std::vector<double> importance() const override;
  std::string save() const override;
  void load(std::string_view bytes) override;

 private:
  /// When a fit stops.
  struct Limits {
    int rounds, patience;
    std::size_t recallAt;
  };

  /// One a program; `counts` is what the history counts.
  std::vector<double> historyScores(const FeatureTable& table, double counts) const;
  /// What the history counts in predictions: 0 once it is dropped.
  double historyCounts() const;
  RowTrees fit(const DataSet& set, const std::vector<double>& start, const Limits& limits,
               UpdateReport& report) const;
  void requireTrained() const;

  AutoTvmOptions options_;
  std::optional<RowTrees> own_, history_;
  std::size_t learned_ = 0; // programs of the last update
};

} // namespace nestwright::xgboost
