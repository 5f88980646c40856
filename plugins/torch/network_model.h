#pragma once
/// \file Neural cost models (handbook/cost-models.md 5). All arithmetic is the learner's, a process
/// that is started for the first prediction or update; a model is a value here.

#include "core/learn/trained_network.h"
#include "core/model/cost_model.h"
#include "plugins/torch/network_options.h"

#include <optional>
#include <string>

namespace nestwright::torch_models {

class NetworkModel final : public CostModel {
 public:
  NetworkModel(Architecture architecture, NetworkOptions options);
  std::string name() const override { return nestwright::name(architecture_); }
  bool trained() const override { return trained_.has_value(); }
  bool scoresAreThroughputs() const override;
  /// Scores do not depend on the number of threads, and on the rest of the batch by rounding alone.
  Prediction predict(const FeatureTable& batch) const override;
  /// Goes on from the network that there is, a loaded one too.
  UpdateReport update(const DataSet& set) override;
  /// By gradient times input. What that leaves of the score is shared out over the rows as their
  /// bias.
  Explanation explain(const FeatureTable& batch, std::size_t program) const override;
  std::optional<Attention> attention(const FeatureTable& batch, std::size_t program) const override;
  std::string save() const override;
  void load(std::string_view bytes) override;

 private:
  const TrainedNetwork& requireReadable(const FeatureTable& batch) const;

  Architecture architecture_;
  NetworkOptions options_;
  std::optional<TrainedNetwork> trained_;
};

} // namespace nestwright::torch_models
