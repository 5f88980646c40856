/// A plugin with a cost model that others may have, too: its purpose says whose it is.

#include "core/plugin/plugin.h"

extern "C" nestwright::PluginDescription nestwright_plugin() {
  nestwright::PluginDescription description;
  description.name = MODEL_PLUGIN;
  description.version = NESTWRIGHT_VERSION;
  description.purpose = "Models without code, for a test of names.";
  description.costModels = [] {
    return std::vector<nestwright::CostModelKind>{
        {.name = "shared", .purpose = "of " MODEL_PLUGIN},
        {.name = "middle", .purpose = "of " MODEL_PLUGIN}};
  };
  return description;
}
