#include "core/training/training_course.h"

#include "core/feature/program_features.h"
#include "core/support/error.h"
#include "core/support/name_table.h"
#include "core/training/training_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace nestwright {

namespace {

constexpr NameTable<TrainingState, 6> kStates{
    {"waiting", "running", "stopped", "failed", "finished", "elsewhere"}};

/// What was asked for by features that are told as they became, as files of earlier versions do.
std::string wishedFeatures(const std::string& features) {
  if (!features.starts_with(fmt::format("{} {{", kSteps))) return features;
  const PrimitiveEncoder& steps = *featureChoice(features, {}).steps;
  const auto isPublished = [&](bool gpu) {
    return steps.shape() == publishedShape(steps.vocabulary(), gpu);
  };
  return std::string(isPublished(false) || isPublished(true) ? kSteps : kFittedSteps);
}

} // namespace

const char* name(TrainingState state) {
  return kStates.of(state);
}

PastTraining pastTraining(const std::string& model) {
  PastTraining past;
  TrainingCourse& course = past.course;
  try {
    if (isModelThere(model) || !std::filesystem::exists(wishFileOf(model))) {
      ModelFile file = readModelFile(model);
      file.bytes.clear();
      past.wish = wishOf(file);
      course.curve = file.curve;
      course.model = std::make_shared<const ModelFile>(std::move(file));
      course.state = TrainingState::Finished;
    } else {
      const std::optional<std::string> trainer = trainerOf(model);
      past.wish = readWish(model);
      course.state = trainer ? TrainingState::Elsewhere : TrainingState::Stopped;
      course.trainer = trainer.value_or(std::string());
      const bool begun = std::filesystem::exists(checkpointOf(model));
      if (begun) course.curve = networkOfCheckpoint(checkpointOf(model)).curve;
      course.kept = begun && !trainer;
    }
  } catch (const Error& error) {
    course.state = TrainingState::Failed;
    course.problem = error.what();
  }
  return past;
}

ModelWish wishOf(const ModelFile& file) {
  ModelWish wish;
  wish.model = file.model;
  wish.data = file.choice;
  const std::vector<std::string> models = trainableModels();
  if (std::ranges::find(models, file.model) == models.end()) return wish; // of a session
  wish.startFrom = file.startFromPath;
  wish.fineTune = file.fineTune;
  wish.targetRecords = file.targetRecords;
  wish.data.features = wishedFeatures(file.choice.features);
  if (wish.data.features == publishedFeatures(file.model)) wish.data.features.clear();
  if (file.targets.size() > 1) {
    wish.data.target = file.target;
    for (const ModelTarget& target : file.targets)
      if (target.id != file.target) wish.helpers.push_back(target.id);
  }
  if (!file.options.is_object()) return wish;
  const std::vector<std::string> losses = lossesOf(file.model);
  const std::string loss = file.options.value("loss", losses.front());
  if (std::ranges::find(losses, loss) == losses.end()) return wish; // of a newer version
  wish.loss = loss;
  const nlohmann::json published =
      file.fineTune ? fineTuneOptions(file.model, loss) : publishedOptions(file.model, loss);
  for (const auto& [name, value] : published.items())
    if (name != "loss" && file.options.contains(name) && file.options.at(name) != value)
      wish.options[name] = file.options.at(name);
  // Other epochs would settle it otherwise.
  if (wish.options.contains("epochs") && file.options.contains("patience"))
    wish.options["patience"] = file.options.at("patience");
  return wish;
}

} // namespace nestwright
