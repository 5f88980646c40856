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
  return {{"xgboost", "Ansor's: a program's throughput, as a sum over its statements.",
           [](const nlohmann::json& options) -> Made {
             return std::make_unique<xgboost::XgboostModel>(xgboost::optionsFromJson(options));
           }},
          {"autotvm", "AutoTVM's: the order of a template's configurations.",
           [](const nlohmann::json& options) -> Made {
             return std::make_unique<xgboost::AutoTvmModel>(
                 xgboost::autoTvmOptionsFromJson(options));
           }},
          {"forest", "AdaTune's: throughputs of a template's configurations, and how sure it is.",
           [](const nlohmann::json& options) -> Made {
             return std::make_unique<xgboost::ForestModel>(xgboost::forestOptionsFromJson(options));
           }}};
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
