#include "core/support/error.h"
#include "core/template/task_template.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright {

using nlohmann::json;

json toJson(const TemplateConfig& config) {
  json entities = json::array();
  for (const NamedEntity& entity : config.entities)
    entities.push_back(toJson(entity));
  return {{"template", config.kind}, {"version", name(config.version)}, {"entity", entities}};
}

TemplateConfig templateConfigFromJson(const json& value) {
  try {
    TemplateConfig config;
    config.kind = value.at("template").get<std::string>();
    config.version = templateVersion(value.at("version").get<std::string>());
    for (const json& entity : value.at("entity"))
      config.entities.push_back(namedEntityFromJson(entity));
    return config;
  } catch (const json::exception& error) {
    throw InputError(fmt::format("{} is no program of a template: {}", value.dump(), error.what()));
  }
}

TaskTemplate templateNamed(const ComputeDag& task, const std::string& kind,
                           TemplateVersion version) {
  const TemplateKind& known = knownTemplate(kind);
  if (!isExecutable(known))
    throw InputError(fmt::format("{} has no programs: it is declared, so that its logs are "
                                 "understood",
                                 kind));
  TaskTemplates templates = templatesFor(task, version, known.machine);
  for (TaskTemplate& fitting : templates.fitting)
    if (fitting.kind == &known) return std::move(fitting);
  std::vector<std::string> names;
  for (const TaskTemplate& fitting : templates.fitting)
    names.emplace_back(fitting.kind->name);
  throw InputError(names.empty() ? templates.whyNone
                                 : fmt::format("{} does not compute this task; {} does", kind,
                                               fmt::join(names, " or ")));
}

TemplateProgram templateProgram(const ComputeDag& task, const TemplateConfig& config) {
  return templateProgram(task, templateNamed(task, config.kind, config.version), config.entities);
}

TemplateConfig templateConfigOf(const TemplateKind& kind, const TemplateArguments& arguments,
                                const LoggedConfig& logged) {
  const auto version = versionOf(kind, arguments, logged);
  if (version) return {kind.name, *version, logged.entities};
  for (const TemplateVersion other :
       {TemplateVersion::V0_11, TemplateVersion::V0_8, TemplateVersion::TopHub})
    if (kind.space(arguments, other).find(logged.entities))
      return {kind.name, other, logged.entities};
  kind.space(arguments, TemplateVersion::V0_11).indexOf(logged.entities); // says what is wrong
  throw InputError(fmt::format("no version of {} has this configuration", kind.name));
}

} // namespace nestwright
