#pragma once
/// \file A trained model that a session asks and never teaches.

#include "core/model/trained_base.h"

namespace nestwright {

class UnchangedModel final : public CostModel {
 public:
  explicit UnchangedModel(TrainedBase base) : base_(std::move(base)) {}
  std::string name() const override { return base_.model->name(); }
  bool trained() const override { return true; }
  std::string ranking() const override { return "base"; }
  bool scoresAreThroughputs() const override { return base_.model->scoresAreThroughputs(); }
  Prediction predict(const FeatureTable& batch) const override;
  /// Skips every one.
  UpdateReport update(const DataSet& set) override;
  Explanation explain(const FeatureTable& batch, std::size_t program) const override;
  std::vector<double> importance() const override { return base_.model->importance(); }
  std::optional<Attention> attention(const FeatureTable& batch,
                                     std::size_t program) const override {
    return base_.model->attention(batch, program);
  }
  /// Which base it is; its bytes are kept by whoever has them.
  std::string save() const override;
  void load(std::string_view bytes) override;

 private:
  TrainedBase base_;
};

} // namespace nestwright
