#include "core/plugin/plugin.h"

#include "plugins/example_policy/hill_climbing.h"
#include "plugins/example_policy/largest_share.h"

extern "C" nestwright::PluginDescription nestwright_plugin() {
  nestwright::PluginDescription description;
  description.name = "example_policy";
  description.version = NESTWRIGHT_VERSION;
  description.purpose =
      "A search policy of one's own: hill climbing without a cost model; and a task scheduler.";
  description.searchPolicy = [] {
    nestwright::SearchPolicyKind kind;
    kind.purpose = "A search policy of one's own: hill climbing without a cost model.";
    kind.climbs = true;
    kind.make = nestwright::example_policy::makeHillClimbing;
    return kind;
  };
  description.taskScheduler = [] {
    nestwright::TaskSchedulerKind kind;
    kind.purpose = "A task scheduler of one's own: the largest share of the total is tuned next.";
    kind.make = nestwright::example_policy::makeLargestShare;
    return kind;
  };
  return description;
}
