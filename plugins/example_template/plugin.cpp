#include "core/plugin/plugin.h"

#include "plugins/example_template/dense_rows.h"

extern "C" nestwright::PluginDescription nestwright_plugin() {
  nestwright::PluginDescription description;
  description.name = "example_template";
  description.version = NESTWRIGHT_VERSION;
  description.purpose = "A template of one's own: products whose weights stay as networks have "
                        "them.";
  description.templates = []() -> std::vector<nestwright::PluginTemplate> {
    return {nestwright::example_template::denseRows()};
  };
  return description;
}
