#include "core/dataset/model_likeness.h"

#include "core/feature/program_features.h"

#include <utility>

namespace nestwright {

namespace {

nlohmann::json withoutSeeds(const ModelFile& file, bool withSize) {
  DataChoice choice = file.choice;
  if (choice.features != kFittedSteps) choice.features.clear(); // the file says which they became
  choice.seed = 0;
  if (!withSize) choice.drawnTasks = choice.drawnPrograms = 0;
  nlohmann::json options = file.options;
  if (options.is_object()) options.erase("seed");
  nlohmann::json targets = nlohmann::json::array();
  for (const ModelTarget& target : file.targets)
    targets.push_back(target.id);
  return {{"model", file.model},
          // Without the vocabulary of steps, which another draw of programs may change.
          {"features", file.features.substr(0, file.features.find('{'))},
          {"target", file.target},
          {"targets", std::move(targets)},
          {"choice", toJson(choice)},
          {"options", std::move(options)},
          {"target_records", file.targetRecords},
          {"start_from", file.startFrom}};
}

} // namespace

std::string textWithoutSeeds(const ModelFile& file) {
  return withoutSeeds(file, true).dump();
}

std::string textWithoutSize(const ModelFile& file) {
  return withoutSeeds(file, false).dump();
}

} // namespace nestwright
