#include "core/session/run/pretrained/pretrained_model.h"

#include "core/feature/program_features.h"
#include "core/model/base_and_local.h"
#include "core/model/base_and_retrained.h"
#include "core/model/task_models.h"
#include "core/model/tuned_base.h"
#include "core/model/unchanged_model.h"
#include "core/plugin/plugin.h"
#include "core/session/run/pretrained/model_threads.h"
#include "core/session/run/pretrained/model_update.h"
#include "core/support/error.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace nestwright {

namespace {

using nlohmann::json;

constexpr const char* kGpuIds = "cuda-"; // how TargetFacts::id() begins for one
constexpr const char* kFile = "file";
constexpr const char* kLearned = "learned";

/// Trees that fine-tuning adds, at most: what a full training has a few seconds for.
constexpr int kTuningTrees = 60;

FeatureChoice featuresOf(const ModelFile& file, const TargetFacts& target) {
  try {
    return featureChoice(file.features, target);
  } catch (const Error& problem) {
    throw InputError(fmt::format("the trained model reads features that this version does not "
                                 "make ({}); train it again",
                                 problem.what()));
  }
}

ModelMaker maker(const std::string& model, json options) {
  return [model, options = std::move(options)] {
    return costModel(model, withThreads(model, options));
  };
}

/// What learns the difference. It is smaller than what learns everything, and learns as soon as it
/// is asked to.
ModelMaker localMaker(const SessionConfig& config) {
  if (config.local == kLocalMlp)
    return maker("mlp", {{"warmup", 0}, {"loss", "plain-mse"}, {"hidden", 128}});
  return maker("xgboost", {{"warmup", 0},
                           {"weights", "none"},
                           {"maxDepth", 6},
                           {"maxTrees", 100},
                           {"retrainGrowth", 0.0}});
}

std::unique_ptr<CostModel> untaughtModel(const SessionConfig& config, std::size_t warmup) {
  if (costModelKind(config.model).ofSteps && !isOfSteps(config.features))
    throw UsageError(
        fmt::format("the cost model {} reads schedule steps, and this session computes "
                    "the features {}: choose the features steps, or xgboost, mlp or "
                    "lstm",
                    config.model, config.features));
  return costModel(config.model, withThreads(config.model, {{"warmup", warmup}}));
}

json tuningOptions(const std::string& model, std::size_t warmup) {
  json options = {{"warmup", warmup}};
  if (model == "xgboost")
    options["tuningTrees"] = kTuningTrees;
  else
    options["tuning"] = "fine";
  return options;
}

std::unique_ptr<CostModel> begunWith(const TrainedBase& base, const SessionConfig& config,
                                     std::size_t warmup) {
  switch (modelUpdateFromName(config.update).value_or(ModelUpdate::None)) {
  case ModelUpdate::None:
    return std::make_unique<UnchangedModel>(base);
  case ModelUpdate::Local: {
    const auto local = [base, warmup, make = localMaker(config)]() -> std::unique_ptr<CostModel> {
      return std::make_unique<BaseAndLocal>(base, make, LocalOptions{.warmup = warmup});
    };
    if (config.localPerTask) return std::make_unique<TaskModels>(base, local);
    return local();
  }
  case ModelUpdate::FineTune:
    return std::make_unique<TunedBase>(
        base, maker(config.model, tuningOptions(config.model, warmup)), warmup);
  case ModelUpdate::Retrain:
    return std::make_unique<BaseAndRetrained>(base, maker(config.model, {{"warmup", warmup}}));
  }
  return nullptr;
}

} // namespace

void requireUsable(const ModelFile& file, const TargetFacts& target) {
  if (costModelKind(file.model).ofConfigurations)
    throw InputError(fmt::format("the trained model is an {}, which scores the configurations of "
                                 "templates, and a session begins with one that scores programs of "
                                 "sketches",
                                 file.model));
  const bool isOfGpu = file.target.starts_with(kGpuIds);
  if (!file.target.empty() && isOfGpu != target.gpu.has_value())
    throw InputError(fmt::format("the trained model is for {}s ({}), and this session tunes for {}",
                                 isOfGpu ? "GPU" : "processor", file.target, target.text()));
  const FeatureChoice features = featuresOf(file, target);
  if (file.bytes.empty()) throw InputError("the trained model has not been trained");
  const std::unique_ptr<CostModel> model = costModel(file.model);
  model->load(file.bytes);
  FeatureTable row(features.columns());
  row.add(std::vector<float>(features.columns(), 1));
  try {
    model->predict(row);
  } catch (const InputError& problem) {
    throw InputError(fmt::format("the trained model was made for features \"{}\" of another "
                                 "version ({}); train it again",
                                 file.features, problem.what()));
  }
}

bool beginsTrained(const SessionConfig& config) {
  return !config.pretrained.empty() || config.memoryModel;
}

std::string toBytes(const KeptPretrained& kept) {
  NamedModels models;
  models.add(kFile, kept.file);
  models.add(kLearned, kept.learned);
  return models.list.dump() + '\n' + models.bytes;
}

KeptPretrained keptPretrained(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  KeptPretrained kept;
  if (end != std::string_view::npos)
    forEachNamed(json::parse(bytes.substr(0, end), nullptr, false), bytes.substr(end + 1),
                 [&](const std::string& name, std::string_view model) {
                   if (name == kFile) kept.file = model;
                   if (name == kLearned) kept.learned = model;
                 });
  if (kept.file.empty())
    throw InputError("the trained model that the session began with cannot be read; the file was "
                     "altered or is damaged");
  return kept;
}

std::optional<KeptPretrained> keptOf(const SessionConfig& config,
                                     const std::optional<std::string>& saved) {
  if (!beginsTrained(config)) return std::nullopt;
  return keptPretrained(saved.value_or(std::string()));
}

SessionConfig withPretrained(SessionConfig config, const ModelFile& file) {
  config.model = file.model;
  config.features = file.features;
  return config;
}

std::unique_ptr<CostModel> sessionModel(const SessionConfig& config, const KeptPretrained* kept,
                                        std::size_t warmup) {
  if (!kept) return untaughtModel(config, warmup);
  const TrainedBase base =
      trainedBase(maker(config.model, {{"warmup", warmup}}), modelFileFrom(kept->file).bytes);
  return begunWith(base, config, warmup);
}

std::unique_ptr<CostModel> savedSessionModel(const SessionConfig& config, std::string_view saved) {
  const auto warmup = static_cast<std::size_t>(config.warmup);
  if (!beginsTrained(config)) {
    std::unique_ptr<CostModel> model = sessionModel(config, nullptr, warmup);
    model->load(saved);
    return model;
  }
  const KeptPretrained kept = keptPretrained(saved);
  std::unique_ptr<CostModel> model = sessionModel(config, &kept, warmup);
  if (!kept.learned.empty()) model->load(kept.learned);
  return model;
}

} // namespace nestwright
