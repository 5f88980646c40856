#pragma once
/// \file Fine-tuning (handbook/cost-models.md 7.3): a trained base, gone on with on what a session
/// measured.

#include "core/model/trained_base.h"

#include <cstddef>
#include <memory>

namespace nestwright {

/// Each update begins at the base again, and goes on from there with all records so far. So it does
/// not drift away from the base however many rounds there are, and takes no longer in the
/// hundredth.
class TunedBase final : public CostModel {
 public:
  /// `make` makes models that go on from what they loaded, whatever they are taught. They are
  /// taught once more programs ran than `warmup`.
  TunedBase(TrainedBase base, ModelMaker make, std::size_t warmup = 0);
  std::string name() const override { return base_.model->name() + ", fine-tuned"; }
  bool trained() const override { return true; }
  std::string ranking() const override { return tuned_ ? "fine-tuned" : "base"; }
  bool scoresAreThroughputs() const override { return now().scoresAreThroughputs(); }
  Prediction predict(const FeatureTable& batch) const override { return now().predict(batch); }
  UpdateReport update(const DataSet& set) override;
  Explanation explain(const FeatureTable& batch, std::size_t program) const override {
    return now().explain(batch, program);
  }
  std::vector<double> importance() const override { return now().importance(); }
  std::optional<Attention> attention(const FeatureTable& batch,
                                     std::size_t program) const override {
    return now().attention(batch, program);
  }
  std::string save() const override;
  void load(std::string_view bytes) override;
  /// The model that predicts, which needs no base.
  const CostModel& now() const { return tuned_ ? *tuned_ : *base_.model; }
  /// Whether it has learned anything beyond its base.
  bool isTuned() const { return tuned_ != nullptr; }

 private:
  TrainedBase base_;
  ModelMaker make_;
  std::size_t warmup_ = 0;
  std::unique_ptr<CostModel> tuned_; // null until it was taught
};

} // namespace nestwright
