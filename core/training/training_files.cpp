#include "core/training/training_files.h"

#include "core/record/sql/file_holders.h"
#include "core/support/error.h"
#include "core/support/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace nestwright {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kModelEnding = ".nwm";
constexpr std::string_view kCheckpointEnding = ".checkpoint", kWishEnding = ".training",
                           kLockEnding = ".lock";

} // namespace

std::string checkpointOf(const std::string& model) {
  return model + std::string(kCheckpointEnding);
}

std::string modelOfCheckpoint(const std::string& checkpoint) {
  const bool ends = checkpoint.ends_with(kCheckpointEnding);
  return checkpoint.substr(0, checkpoint.size() - (ends ? kCheckpointEnding.size() : 0));
}

std::string wishFileOf(const std::string& model) {
  return model + std::string(kWishEnding);
}

std::string epochFileOf(const std::string& model, int epoch) {
  const bool ends = model.ends_with(kModelEnding);
  return fmt::format("{}-epoch{}{}",
                     model.substr(0, model.size() - (ends ? kModelEnding.size() : 0)), epoch,
                     kModelEnding);
}

bool isModelThere(const std::string& model) {
  std::error_code untold; // what cannot be looked at is not there
  return fs::exists(model, untold) && !fs::exists(checkpointOf(model), untold);
}

void requireFreePlace(const std::string& model) {
  const fs::path folder = fs::absolute(model).parent_path();
  std::error_code failure;
  const bool isFolder = fs::is_directory(folder, failure);
  if (isFolder) (void)fs::exists(model, failure);
  if (failure && failure != std::errc::no_such_file_or_directory)
    throw InputError(
        fmt::format("the model cannot be written to {}: {}", model, failure.message()));
  if (!isFolder)
    throw InputError(fmt::format("there is no folder {} to write the model to", folder.string()));
  if (isModelThere(model))
    throw UsageError(fmt::format("{} is there already: choose another name, or remove it", model));
}

void writeWish(const std::string& model, const ModelWish& wish) {
  writeDocument(wishFileOf(model), "wish", toJson(wish));
}

ModelWish readWish(const std::string& model) {
  const std::string path = wishFileOf(model);
  const nlohmann::json document = readDocument(path);
  try {
    return modelWishFromJson(document);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
}

std::unique_ptr<OwnLock> lockTraining(const std::string& model) {
  try {
    return std::make_unique<OwnLock>(model + std::string(kLockEnding), thisProcessText());
  } catch (const LockTaken& taken) {
    throw InputError(fmt::format("{} is being trained by {}; wait until that has ended, stop it, "
                                 "or choose another name",
                                 model, taken.holder()));
  }
}

std::optional<std::string> trainerOf(const std::string& model) {
  return lockHolder(model + std::string(kLockEnding));
}

void removeTraining(const std::string& model) {
  fs::remove(checkpointOf(model));
  fs::remove(wishFileOf(model));
}

std::vector<std::string> modelsIn(const std::string& folder) {
  std::map<std::string, fs::file_time_type> found;
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    std::string path = at->path().string();
    if (path.ends_with(std::string(kModelEnding) + std::string(kWishEnding)))
      path.resize(path.size() - kWishEnding.size());
    else if (!path.ends_with(kModelEnding))
      continue;
    std::error_code gone;
    const fs::file_time_type time = at->last_write_time(gone);
    if (gone) continue;
    const auto [entry, isNew] = found.try_emplace(path, time);
    if (!isNew) entry->second = std::max(entry->second, time);
  }
  std::vector<std::string> paths;
  for (const auto& [path, time] : found)
    paths.push_back(path);
  std::ranges::stable_sort(paths, std::greater(),
                           [&](const std::string& path) { return found.at(path); });
  return paths;
}

} // namespace nestwright
