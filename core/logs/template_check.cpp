#include "core/logs/template_check.h"

#include "core/support/error.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace nestwright {

namespace {

constexpr std::size_t kMostTold = 10;
constexpr std::size_t kMostTasks = 256; // whose spaces are kept

} // namespace

void TemplateCheck::add(const ImportedTask& task, const ImportedRecord& record) {
  const Spaces& spaces = spacesOf(task.key);
  if (!spaces.isKnown) {
    ++counts_.unknown;
    return;
  }
  ++counts_.configurations;
  if (!spaces.problem.empty()) return disagree(spaces.problem);
  try {
    const LoggedConfig config = loggedConfig(nlohmann::json::parse(record.item.values));
    for (const ConfigSpace& space : spaces.ofVersion)
      if (space.find(config.entities) == config.index) {
        ++counts_.agree;
        return;
      }
    const ConfigSpace& newest = spaces.ofVersion.front();
    disagree(fmt::format("{}: index {}, but its entities are configuration {} of {}", task.key,
                         config.index, newest.indexOf(config.entities),
                         name(kTemplateVersions.front())));
  } catch (const InputError& error) {
    disagree(fmt::format("{}: {}", task.key, error.what()));
  }
}

const TemplateCheck::Spaces& TemplateCheck::spacesOf(const std::string& taskKey) {
  if (const auto known = spaces_.find(taskKey); known != spaces_.end()) return known->second;
  if (spaces_.size() >= kMostTasks) spaces_.clear();
  Spaces& spaces = spaces_[taskKey];
  const std::optional<LoggedTask> task = loggedTask(taskKey);
  if (!task) return spaces;
  spaces.isKnown = true;
  try {
    for (const TemplateVersion version : kTemplateVersions)
      spaces.ofVersion.push_back(task->kind->space(task->arguments, version));
  } catch (const InputError& error) {
    spaces.problem = fmt::format("{}: {}", taskKey, error.what());
  }
  return spaces;
}

void TemplateCheck::disagree(const std::string& why) {
  if (counts_.disagreements.size() < kMostTold) counts_.disagreements.push_back(why);
}

} // namespace nestwright
