#include "core/plugin/plugin.h"

#include "core/support/error.h"
#include "plugins/xgboost/booster.h"
#include "plugins/xgboost/options.h"
#include "plugins/xgboost/xgboost_model.h"

#include <nlohmann/json.hpp>

extern "C" nestwright::PluginDescription nestwright_plugin() {
  using namespace nestwright;
  xgboost::requireLibraryVersion(); // else the plugin is not loaded, with the reason
  static const std::string version =
      fmt::format("{} (XGBoost {})", NESTWRIGHT_VERSION, xgboost::libraryVersion());
  PluginDescription description;
  description.name = "xgboost";
  description.version = version.c_str();
  description.purpose = "Learns which programs are fast, with gradient-boosted trees.";
  description.makeCostModel = [](const nlohmann::json& options) -> std::unique_ptr<CostModel> {
    return std::make_unique<xgboost::XgboostModel>(xgboost::optionsFromJson(options));
  };
  return description;
}
