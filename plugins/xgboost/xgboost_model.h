#pragma once
/// \file The cost model of the reference: gradient-boosted trees whose outputs, added up over a
/// program's statements, predict its normalised throughput.

#include "core/model/cost_model.h"
#include "plugins/xgboost/booster.h"
#include "plugins/xgboost/options.h"

#include <map>
#include <optional>
#include <string>

namespace nestwright::xgboost {

class XgboostModel final : public CostModel {
 public:
  explicit XgboostModel(const Options& options);
  std::string name() const override { return "xgboost"; }
  bool trained() const override { return booster_.has_value(); }
  Prediction predict(const FeatureTable& batch) const override;
  UpdateReport update(const DataSet& set) override;
  UpdateReport learn(const DataSet& set, std::span<const std::size_t> programs,
                     const LearningWatch& watch) override;
  Explanation explain(const FeatureTable& batch, std::size_t program) const override;
  std::vector<double> importance() const override;
  std::string save() const override;
  void load(std::string_view bytes) override;

 private:
  /// What decides how the next update learns; saved with the model.
  struct History {
    std::size_t columns = 0;
    std::size_t programs = 0;           // usable ones of the last full training
    std::map<std::string, double> best; // task: best seconds then
    int trees = 0;                      // then
  };

  void requireReadable(const FeatureTable& batch) const;
  /// Why a full training is due; empty when an increment will do.
  std::string fullTrainingReason(const DataSet& set, std::size_t usable) const;
  /// Adds trees that learn from the chosen programs. Whether the watch let it: else nothing
  /// changed.
  bool grow(const DataSet& set, std::span<const std::size_t> chosen, bool full,
            UpdateReport& report, const LearningWatch& watch = {});
  void remember(const DataSet& set, std::size_t programs);

  Options options_;
  std::optional<Booster> booster_;
  History history_;
};

} // namespace nestwright::xgboost
