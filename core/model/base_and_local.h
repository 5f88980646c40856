#pragma once
/// \file TenSet's difference model (handbook/cost-models.md 7.2): a trained base that stays as it
/// is, and a local model that learns by how much the base is wrong.

#include "core/model/label_scale.h"
#include "core/model/model_sum.h"
#include "core/model/trained_base.h"

#include <cstddef>
#include <memory>

namespace nestwright {

struct LocalOptions {
  /// It learns from more programs than these.
  std::size_t warmup = 0;
  std::size_t maxRows = 16384; // feature rows learned from in one update (C13)
  std::size_t newest = 128;    // programs always learned from for being new
};

/// The score is base + local. Where the base's scores are no throughputs, they are put on that
/// scale first, by what the session has measured.
class BaseAndLocal final : public CostModel {
 public:
  /// `makeLocal` makes models that learn DataSet::labels, of either sign.
  BaseAndLocal(TrainedBase base, ModelMaker makeLocal, const LocalOptions& options = {});
  std::string name() const override { return base_.model->name() + " and local"; }
  bool trained() const override { return true; }
  std::string ranking() const override { return local_ ? "base + local" : "base"; }
  bool scoresAreThroughputs() const override;
  Prediction predict(const FeatureTable& batch) const override;
  /// Learns the local model anew, from all of the set that a round has time for.
  UpdateReport update(const DataSet& set) override;
  Explanation explain(const FeatureTable& batch, std::size_t program) const override;
  std::vector<double> importance() const override;
  bool importanceIsOfAPart() const override;
  std::optional<Attention> attention(const FeatureTable& batch, std::size_t program) const override;
  /// The local model, and which base it belongs to.
  std::string save() const override;
  void load(std::string_view bytes) override;

 private:
  std::vector<ModelTerm> terms() const;

  TrainedBase base_;
  ModelMaker makeLocal_;
  LocalOptions options_;
  LabelScale scale_;                 // of the base's scores
  std::unique_ptr<CostModel> local_; // null until it has learned
};

} // namespace nestwright
