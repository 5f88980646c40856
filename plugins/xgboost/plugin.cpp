#include "core/plugin/plugin.h"

#include "core/support/error.h"
#include "plugins/xgboost/autotvm_model.h"
#include "plugins/xgboost/booster.h"
#include "plugins/xgboost/forest_model.h"
#include "plugins/xgboost/xgboost_model.h"

#include <nlohmann/json.hpp>

namespace {

using namespace nestwright;
using Made = std::unique_ptr<CostModel>;

std::vector<CostModelKind> costModels() {
  return {{.name = "xgboost",
           .purpose = "Ansor's: a program's throughput, as a sum over its statements.",
           .make = [](const nlohmann::json& options) -> Made {
             return std::make_unique<xgboost::XgboostModel>(xgboost::optionsFromJson(options));
           }},
          {.name = "autotvm",
           .purpose = "AutoTVM's: the order of a template's configurations.",
           .make = [](const nlohmann::json& options) -> Made {
             return std::make_unique<xgboost::AutoTvmModel>(
                 xgboost::autoTvmOptionsFromJson(options));
           },
           .ofConfigurations = true,
           .takesPlan = true,
           .takesHistory = true},
          {.name = "forest",
           .purpose = "AdaTune's: throughputs of a template's configurations, and how sure it is.",
           .make = [](const nlohmann::json& options) -> Made {
             return std::make_unique<xgboost::ForestModel>(xgboost::forestOptionsFromJson(options));
           },
           .ofConfigurations = true,
           .knowsDeviation = true}};
}

} // namespace

extern "C" nestwright::PluginDescription nestwright_plugin() {
  xgboost::requireLibraryVersion(); // else the plugin is not loaded, with the reason
  static const std::string version =
      fmt::format("{} (XGBoost {})", NESTWRIGHT_VERSION, xgboost::libraryVersion());
  PluginDescription description;
  description.name = "xgboost";
  description.version = version.c_str();
  description.purpose = "Learns which programs are fast, with gradient-boosted trees.";
  description.costModels = costModels;
  return description;
}
