#pragma once
/// \file A trained cost model by what a person calls it: a file, or the session that learned it.

#include "core/dataset/model_file.h"
#include "core/model/cost_model.h"

#include <memory>
#include <optional>
#include <set>
#include <string>

namespace nestwright {

struct TrainedModel {
  std::string name; // as it was asked for
  std::unique_ptr<CostModel> model;
  std::string features; // that it reads, as featureChoice() takes it; empty where it does not say
  /// definitionHash() of the tasks that it learned from; nothing where it does not say.
  std::optional<std::set<std::string>> learnedFrom;
  /// What a ModelFile says of its training, without the model's bytes; nothing for others.
  std::optional<ModelFile> file = std::nullopt;
};

/// "model.nwm": a ModelFile, or the bytes that CostModel::save() gave alone, of a model of one of
/// the names that there are; "a.nwdb#2": the model that session 2 of the file learned; "a.nwdb":
/// that of the newest session that has one. Throws InputError that names the text and what is
/// wrong with it, SystemError as costModel() does.
TrainedModel trainedModel(const std::string& text);

} // namespace nestwright
