#pragma once
/// \file Which cost model is to be trained, how, and on which data: a value, so that a training can
/// be kept, asked for again with one change, and sent to another machine.

#include "core/dataset/data_choice.h"
#include "core/learn/losses.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

struct ModelWish {
  std::string model = "mlp"; // one of trainableModels()
  /// lambdarank, mse, ranknet or listnet; empty: usualLoss().
  std::string loss = {};
  /// An object with what differs from publishedOptions() (or, to fine-tune, from
  /// fineTuneOptions()):
  /// {"epochs": 5}.
  nlohmann::json options = nlohmann::json::object();
  DataChoice data = {};
  int threads = 1;

  /// Targets whose records help to learn for the one of the data (mtl-tlp), as DataChoice::target.
  std::vector<std::string> helpers = {};
  /// So many programs keep their label of the data's target; 0: all (mtl-tlp).
  std::size_t targetRecords = 0;

  /// The file of a trained model to go on from, with its features; empty: a fresh one.
  std::string startFrom = {};
  /// By few, short steps, as TenSet adapts a model to new data (handbook/cost-models.md 5.4).
  bool fineTune = false;

  /// Where the training is kept after each epoch, with this wish beside it (training_files.h);
  /// empty: nowhere. Trees keep nothing.
  std::string checkpoint = {};
  /// Also keep the network of each epoch, in a file beside the model's (epochFileOf()); only where
  /// there is a checkpoint.
  bool keepEpochs = false;
  /// Go on from the checkpoint, if it is there. Otherwise one that is there is refused.
  bool resume = false;

  /// How far the learner stands back for others, as nice(1) counts.
  int niceness = 10;

  friend bool operator==(const ModelWish&, const ModelWish&) = default;
};

/// JSON both ways. The inverse throws InputError that says what is missing.
nlohmann::json toJson(const ModelWish& wish);
ModelWish modelWishFromJson(const nlohmann::json& json);

/// The models that can be trained ahead of a search: mlp, lstm, tlp, mtl-tlp, xgboost.
std::vector<std::string> trainableModels();
/// Whether it is the learner that trains such a model, which keeps a checkpoint; trees keep none.
bool isNetwork(std::string_view model);
/// Whether records of other targets help it to learn for its own.
bool takesHelpers(std::string_view model);
/// The losses that a model can have, the usual one first: lambdarank of networks, mse of trees.
std::vector<std::string> lossesOf(std::string_view model);
std::string usualLoss(std::string_view model);

/// The options that the papers have for a model and a loss, a flat object of numbers and words
/// (handbook/cost-models.md 5.4 and 2.4). Throws UsageError for a model that is not trained ahead,
/// and for a loss that it has not.
nlohmann::json publishedOptions(std::string_view model, std::string_view loss);
/// Those of fine-tuning, for a model that was trained with these.
nlohmann::json fineTuneOptions(std::string_view model, std::string_view loss);
/// Whether such a model reads schedule steps, and not statements.
bool readsSteps(std::string_view model);
/// What a model reads in its paper, as DataChoice::features: "paper,flags" for networks of
/// statements and for trees, "steps" for tlp and mtl-tlp.
std::string publishedFeatures(std::string_view model);

/// An option in words.
struct TrainingOption {
  std::string name;    // its key
  std::string value;   // "0.0007", "adam"
  std::string meaning; // a clause
};
/// All options that a training of this wish would have, in the order in which people think of them.
/// Throws UsageError as trainModel() would.
std::vector<TrainingOption> optionsOf(const ModelWish& wish);
/// Sets one from a text. Throws UsageError that says what there is, or what the value must be.
void setOption(ModelWish& wish, const std::string& name, const std::string& value);

/// publishedOptions() with what the wish changes. Throws UsageError for a name or a value that
/// cannot be, and for parts of the wish that do not go together.
nlohmann::json settledOptions(const ModelWish& wish);

} // namespace nestwright
