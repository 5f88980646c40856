#include "core/training/model_wish.h"

#include "core/dataset/model_file.h"
#include "core/feature/program_features.h"
#include "core/learn/training_options.h"
#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "core/support/json_document.h"
#include "core/support/json_fields.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace nestwright {

namespace {

using nlohmann::json;

constexpr DocumentForm kWishForm{.kind = "nestwright training",
                                 .words = "what is to be trained is",
                                 .notOne = "this does not say what is to be trained"};
constexpr std::string_view kTrees = "xgboost";

struct OptionMeaning {
  const char* name;
  const char* meaning;
};

constexpr OptionMeaning kMeanings[] = {
    {"loss", "what is made small"},
    {"epochs", "passes over the programs"},
    {"batch", "programs a step"},
    {"learning_rate", "length of a step"},
    {"optimiser", "adam, or sgd for plain descent"},
    {"weight_decay", "share of each weight that a step takes away"},
    {"clip", "largest norm of a gradient; 0: any"},
    {"hidden", "width of the layers of mlp and lstm; 0: the papers'"},
    {"patience", "epochs without a lower mean of the losses before it ends; 0: all epochs"},
    {"keep", "last, or best-validation: the network of the least validation loss"},
    {"maxTrees", "trees at most"},
    {"maxDepth", "questions that a tree asks one after the other"},
    {"eta", "share of its error that a tree mends"},
    {"gamma", "least gain of a question"},
    {"minChildWeight", "least weight behind an answer"},
    {"maxBins", "values of a feature that are told apart"},
    {"weights", "what a program counts: none, the same for all, or label, the more the faster"},
    {"leastImprovement", "of the training error, relative, to count as one"},
    {"seed", "of first weights and of the order of the programs"},
};
/// Of trees, where it is another thing.
constexpr const char* kTreePatience = "trees without a lower training error before it ends";

/// Nothing of trees.
std::optional<Architecture> architectureOf(std::string_view model) {
  for (const Architecture architecture : kArchitectures)
    if (model == name(architecture)) return architecture;
  return std::nullopt;
}

void requireTrainable(std::string_view model) {
  const std::vector<std::string> known = trainableModels();
  if (std::ranges::find(known, model) != known.end()) return;
  const std::vector<std::string> all = costModelNames();
  const bool isThere = std::ranges::find(all, model) != all.end();
  throw UsageError(
      isThere && costModelKind(std::string(model)).ofConfigurations
          ? fmt::format("the model {} is of templates' configurations and learns during a search; "
                        "programs are learned from by {}",
                        model, fmt::join(known, ", "))
          : fmt::format("there is no model \"{}\" that could be trained; there are {}", model,
                        fmt::join(known, ", ")));
}

void requireLoss(std::string_view model, std::string_view loss) {
  requireTrainable(model);
  const std::vector<std::string> losses = lossesOf(model);
  if (std::ranges::find(losses, loss) == losses.end())
    throw UsageError(fmt::format("{} has no loss \"{}\"; there {} {}", model, loss,
                                 losses.size() == 1 ? "is" : "are", fmt::join(losses, ", ")));
}

/// What of TrainingOptions the wish has a place of its own for, or the features say.
constexpr const char* kElsewhere[] = {"architecture", "threads", "length", "machines",
                                      "target_records"};

json flat(const TrainingOptions& options) {
  json all = toJson(options);
  json result = all.at("step");
  all.erase("step");
  for (const char* key : kElsewhere)
    all.erase(key);
  result.update(all);
  return result;
}

/// TenSet's trees. They have a bound by time nowhere, for they learn before a search.
json publishedTrees() {
  return {{"loss", "mse"},  {"maxTrees", 300},        {"patience", 100},
          {"maxDepth", 6},  {"gamma", 0.003},         {"eta", 0.2},
          {"seed", 43},     {"minChildWeight", 2.0},  {"weights", "none"},
          {"maxBins", 256}, {"leastImprovement", 0.0}};
}

std::string meaningOf(std::string_view model, const std::string& name) {
  if (name == "patience" && !isNetwork(model)) return kTreePatience;
  for (const OptionMeaning& option : kMeanings)
    if (name == option.name) return option.meaning;
  return {};
}

std::string textOf(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

[[noreturn]] void refuseOption(const json& known, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [key, value] : known.items())
    names.push_back(fmt::format("{} ({})", key, textOf(value)));
  throw UsageError(fmt::format("the training has no option \"{}\"; with their values as they are, "
                               "there are {}",
                               name, fmt::join(names, ", ")));
}

void requireKind(const json& known, const std::string& name, const json& value) {
  if (!known.contains(name)) refuseOption(known, name);
  const json& as = known.at(name);
  const bool fits = as.is_string()         ? value.is_string()
                    : as.is_number_float() ? value.is_number()
                                           : value.is_number_integer() && value >= 0;
  if (fits) return;
  throw UsageError(fmt::format("the option {} is {}, and not {}", name,
                               as.is_string()         ? "a word"
                               : as.is_number_float() ? "a number"
                                                      : "a whole number from 0 on",
                               value.dump()));
}

/// The loss of the training: as wished, or that of the model it goes on from.
std::string lossOf(const ModelWish& wish) {
  if (!wish.loss.empty()) return wish.loss;
  if (wish.options.contains("loss")) return textOf(wish.options.at("loss"));
  if (!wish.startFrom.empty()) {
    const ModelFile file = readModelFile(wish.startFrom);
    if (file.options.contains("loss")) return file.options.at("loss").get<std::string>();
  }
  return usualLoss(wish.model);
}

/// What the options are before the wish changes them.
json unchangedOptions(const ModelWish& wish) {
  const std::string loss = lossOf(wish);
  return wish.fineTune ? fineTuneOptions(wish.model, loss) : publishedOptions(wish.model, loss);
}

void requireFeatures(const ModelWish& wish) {
  const std::string& features = wish.data.features;
  if (features.empty() || isOfSteps(features) == readsSteps(wish.model)) return;
  throw UsageError(fmt::format("{} reads {}; leave --features away, or give {}", wish.model,
                               readsSteps(wish.model) ? "schedule steps" : "statements",
                               readsSteps(wish.model) ? "steps or steps,fit"
                                                      : "paper, lowered, or paper,lowered"));
}

void requireTogether(const ModelWish& wish) {
  checkChoice(wish.data);
  requireFeatures(wish);
  const bool ofSeveral = takesHelpers(wish.model);
  if (!ofSeveral && !wish.helpers.empty())
    throw UsageError(
        fmt::format("{} learns from one target; mtl-tlp takes the help of others", wish.model));
  if (!ofSeveral && wish.targetRecords > 0)
    throw UsageError(fmt::format("{} learns from one target, all of it; of mtl-tlp the labels of "
                                 "its own target can be limited",
                                 wish.model));
  if (!wish.helpers.empty() && wish.data.target.empty())
    throw UsageError("a model with helpers is for one target: name it with --target");
  if (!isNetwork(wish.model) && (!wish.startFrom.empty() || wish.fineTune))
    throw UsageError("trees do not go on from a trained model; networks do");
  if (wish.fineTune && wish.startFrom.empty())
    throw UsageError(
        "what is to be fine-tuned is a trained model: name its file with --start-from");
  if (wish.threads < 1 || wish.threads > 1024)
    throw UsageError(fmt::format("a training takes 1 to 1024 threads, and not {}", wish.threads));
  if (wish.resume && wish.checkpoint.empty())
    throw UsageError("a training is gone on with from a checkpoint, and there is none");
  if (wish.keepEpochs && !isNetwork(wish.model))
    throw UsageError("trees have no epochs whose networks could be kept; networks do");
  if (wish.keepEpochs && wish.checkpoint.empty())
    throw UsageError("the networks of epochs are kept beside a checkpoint, and there is none");
}

} // namespace

template <class Io>
void fields(Io& io, ModelWish& wish) {
  io("model", wish.model);
  io("loss", wish.loss);
  io("options", wish.options);
  io.nested("data", wish.data, dataChoiceFromJson);
  io("threads", wish.threads);
  io("helpers", wish.helpers);
  io("target_records", wish.targetRecords);
  io("start_from", wish.startFrom);
  io("fine_tune", wish.fineTune);
  io("checkpoint", wish.checkpoint);
  io.orElse("keep_epochs", wish.keepEpochs, false);
  io("resume", wish.resume);
  io("niceness", wish.niceness);
}

json toJson(const ModelWish& wish) {
  return asDocument(toFields(wish), kWishForm);
}

ModelWish modelWishFromJson(const json& from) {
  requireForm(from, kWishForm);
  ModelWish wish;
  try {
    readFields(from, wish);
  } catch (const json::exception& error) {
    throw InputError(fmt::format("what is to be trained cannot be read ({})", error.what()));
  }
  if (!wish.options.is_object())
    throw InputError("what is to be trained cannot be read (its options are no object of names and "
                     "values)");
  return wish;
}

std::vector<std::string> trainableModels() {
  return {"mlp", "lstm", "tlp", "mtl-tlp", std::string(kTrees)};
}

bool isNetwork(std::string_view model) {
  return model != kTrees;
}

bool takesHelpers(std::string_view model) {
  const std::optional<Architecture> architecture = architectureOf(model);
  return architecture && hasHeads(*architecture);
}

bool readsSteps(std::string_view model) {
  const std::optional<Architecture> architecture = architectureOf(model);
  return architecture && readsSteps(*architecture);
}

std::vector<std::string> lossesOf(std::string_view model) {
  requireTrainable(model);
  if (!isNetwork(model)) return {"mse"};
  return {"lambdarank", "mse", "ranknet", "listnet"};
}

std::string usualLoss(std::string_view model) {
  return lossesOf(model).front();
}

json publishedOptions(std::string_view model, std::string_view loss) {
  requireLoss(model, loss);
  if (!isNetwork(model)) return publishedTrees();
  return flat(publishedTraining(networkArchitectureFromName(std::string(model)),
                                lossFromName(std::string(loss))));
}

json fineTuneOptions(std::string_view model, std::string_view loss) {
  requireLoss(model, loss);
  if (!isNetwork(model)) throw UsageError("trees are not fine-tuned; networks are");
  return flat(fineTuning(publishedTraining(networkArchitectureFromName(std::string(model)),
                                           lossFromName(std::string(loss)))));
}

std::string publishedFeatures(std::string_view model) {
  requireTrainable(model);
  return readsSteps(model) ? std::string(kSteps) : "paper,flags";
}

std::vector<TrainingOption> optionsOf(const ModelWish& wish) {
  const json settled = settledOptions(wish);
  std::vector<TrainingOption> options;
  for (const OptionMeaning& known : kMeanings)
    if (settled.contains(known.name))
      options.push_back(
          {known.name, textOf(settled.at(known.name)), meaningOf(wish.model, known.name)});
  return options;
}

void setOption(ModelWish& wish, const std::string& name, const std::string& value) {
  const json known = unchangedOptions(wish);
  if (!known.contains(name)) refuseOption(known, name);
  const json parsed = json::parse(value, nullptr, false);
  const json given = known.at(name).is_string() || !parsed.is_number() ? json(value) : parsed;
  requireKind(known, name, given);
  wish.options[name] = given;
  if (name == "loss") wish.loss = value;
}

json settledOptions(const ModelWish& wish) {
  requireTrainable(wish.model);
  requireTogether(wish);
  if (!wish.options.is_object())
    throw UsageError("the options of a training are an object of names and values");
  json options = unchangedOptions(wish);
  for (const auto& [name, value] : wish.options.items()) {
    requireKind(options, name, value);
    options[name] = value;
  }
  if (!wish.loss.empty()) options["loss"] = wish.loss;
  // The papers wait for a sixth of the epochs.
  const bool waits = isNetwork(wish.model) && options.at("patience") > 0;
  if (waits && wish.options.contains("epochs") && !wish.options.contains("patience"))
    options["patience"] = options.at("epochs").get<std::int64_t>() / 6;
  if (isNetwork(wish.model) && options.at("keep") == name(Keep::BestValidation) &&
      wish.data.validationShare == 0) {
    if (wish.options.contains("keep"))
      throw UsageError("without programs to validate with, no network has the best validation: "
                       "keep the last, or validate with a share of the programs");
    options["keep"] = name(Keep::Last);
  }
  return options;
}

} // namespace nestwright
