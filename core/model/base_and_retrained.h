#pragma once
/// \file A trained base, and a model that learns from scratch beside it
/// (handbook/cost-models.md 7.4).

#include "core/model/label_scale.h"
#include "core/model/model_sum.h"
#include "core/model/trained_base.h"

#include <cstddef>
#include <memory>

namespace nestwright {

/// The base's share in the scores once the other one has learned from so many programs: a half at
/// 128 of them, and never less than a quarter. What was learned before is not thrown away.
double baseShare(std::size_t programs);

/// Until the other one has learned enough, the base answers alone. From then on the score is the
/// mean of the two, weighted by baseShare(); both on the scale of throughputs.
class BaseAndRetrained final : public CostModel {
 public:
  BaseAndRetrained(TrainedBase base, ModelMaker make);
  std::string name() const override { return base_.model->name() + ", retrained"; }
  bool trained() const override { return true; }
  std::string ranking() const override { return isMixed() ? "base + retrained" : "base"; }
  bool scoresAreThroughputs() const override;
  Prediction predict(const FeatureTable& batch) const override;
  UpdateReport update(const DataSet& set) override;
  Explanation explain(const FeatureTable& batch, std::size_t program) const override;
  std::vector<double> importance() const override;
  bool importanceIsOfAPart() const override;
  std::optional<Attention> attention(const FeatureTable& batch, std::size_t program) const override;
  std::string save() const override;
  void load(std::string_view bytes) override;

 private:
  struct Mix {
    LabelScale ofBase, ofOther;
    double share = 1; // of the base
  };
  bool isMixed() const { return other_->trained(); }
  std::vector<ModelTerm> terms() const;
  LabelScale scaleOf(const CostModel& model, const DataSet& set,
                     const std::vector<float>& throughputs) const;

  TrainedBase base_;
  ModelMaker make_;
  Mix mix_;
  std::unique_ptr<CostModel> other_;
};

} // namespace nestwright
