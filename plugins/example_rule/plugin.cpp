#include "core/plugin/plugin.h"

#include "plugins/example_rule/vector_strips.h"

extern "C" nestwright::PluginDescription nestwright_plugin() {
  nestwright::PluginDescription description;
  description.name = "example_rule";
  description.version = NESTWRIGHT_VERSION;
  description.purpose = "A sketch rule of one's own: element-wise stages in strips of one vector.";
  description.makeRules = []() -> nestwright::SketchRules {
    return {nestwright::example_rule::vectorStripsRule()};
  };
  return description;
}
