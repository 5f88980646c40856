#pragma once
/// \file A model for each task, all begun from the same trained base.

#include "core/model/trained_base.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace nestwright {

/// Asked for programs of no task in particular, and of one without records, it is the base.
class TaskModels final : public CostModel {
 public:
  /// `make` makes a task's model, which answers from the beginning.
  TaskModels(TrainedBase base, ModelMaker make);
  std::string name() const override { return base_.model->name() + ", a model a task"; }
  bool trained() const override { return true; }
  std::string ranking() const override { return "base"; }
  bool scoresAreThroughputs() const override { return base_.model->scoresAreThroughputs(); }
  const CostModel& ofTask(std::string_view task) const override;
  Prediction predict(const FeatureTable& batch) const override {
    return base_.model->predict(batch);
  }
  /// Teaches the models of those tasks whose records are others than at the last update.
  UpdateReport update(const DataSet& set) override;
  Explanation explain(const FeatureTable& batch, std::size_t program) const override {
    return base_.model->explain(batch, program);
  }
  std::vector<double> importance() const override { return base_.model->importance(); }
  std::optional<Attention> attention(const FeatureTable& batch,
                                     std::size_t program) const override {
    return base_.model->attention(batch, program);
  }
  std::string save() const override;
  void load(std::string_view bytes) override;

 private:
  struct OfTask {
    std::unique_ptr<CostModel> model;
    std::string learned; // hash of the records
  };

  TrainedBase base_;
  ModelMaker make_;
  std::map<std::string, OfTask, std::less<>> tasks_; // by workload key
};

} // namespace nestwright
