#include "core/support/error.h"
#include "core/template/task_template.h"

#include <nlohmann/json.hpp>

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

} // namespace nestwright
