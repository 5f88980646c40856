#include "core/plugin/plugin.h"

#include "plugins/example_policy/hill_climbing.h"

extern "C" nestwright::PluginDescription nestwright_plugin() {
  nestwright::PluginDescription description;
  description.name = "example_policy";
  description.version = NESTWRIGHT_VERSION;
  description.purpose = "A search policy of one's own: hill climbing without a cost model.";
  description.searchPolicy = [] {
    nestwright::SearchPolicyKind kind;
    kind.climbs = true;
    kind.make = nestwright::example_policy::makeHillClimbing;
    return kind;
  };
  return description;
}
