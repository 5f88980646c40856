#include "core/plugin/plugin.h"

#include "plugins/torch/network_model.h"

#include <nlohmann/json.hpp>

namespace {

using namespace nestwright;

template <Architecture architecture>
std::unique_ptr<CostModel> make(const nlohmann::json& options) {
  return std::make_unique<torch_models::NetworkModel>(
      architecture, torch_models::networkOptionsFromJson(name(architecture), options));
}

std::vector<CostModelKind> costModels() {
  return {{.name = "mlp",
           .purpose = "TenSet's: the order of programs, from a sum over their statements.",
           .make = make<Architecture::Mlp>,
           .ofNetwork = true},
          {.name = "lstm",
           .purpose = "TenSet's other one: a recurrence over a program's statements.",
           .make = make<Architecture::Lstm>,
           .ofNetwork = true},
          {.name = "tlp",
           .purpose = "TLP's: the order of programs, from their schedule steps alone.",
           .make = make<Architecture::Tlp>,
           .ofSteps = true,
           .ofNetwork = true},
          {.name = "mtl-tlp",
           .purpose =
               "TLP's, learned on several targets at once with a head for each: records of other "
               "machines help.",
           .make = make<Architecture::MtlTlp>,
           .ofSteps = true,
           .ofNetwork = true},
          {.name = "treegru",
           .purpose = "AutoTVM's neural one: the order of a template's configurations, from the "
                      "trees of their loops.",
           .make = make<Architecture::TreeGru>,
           .ofConfigurations = true,
           .ofTrees = true,
           .ofNetwork = true}};
}

} // namespace

extern "C" nestwright::PluginDescription nestwright_plugin() {
  PluginDescription description;
  description.name = "torch";
  description.version = NESTWRIGHT_VERSION;
  description.purpose =
      "Learns which programs are fast, with neural networks; the program nestwright-learner does "
      "the work.";
  description.costModels = costModels;
  return description;
}
