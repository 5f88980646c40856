#include "plugins/xgboost/saved_model.h"

#include "plugins/xgboost/booster.h"

namespace nestwright::xgboost {
namespace {

using nlohmann::json;

ModelForm form() {
  return {.format = 1,
          .libraryKey = "xgboost",
          .libraryName = "XGBoost",
          .libraryVersion = libraryVersion()};
}

} // namespace

std::string sealModel(const char* model, json header, std::string_view trees) {
  return nestwright::sealModel(form(), model, std::move(header), trees);
}

SealedModel openModel(const char* model, std::string_view bytes) {
  return nestwright::openModel(form(), model, bytes);
}

std::string savedBy(const json& header) {
  const json writer = header.value("xgboost", json());
  return writer.is_string() ? writer.get<std::string>() : writer.dump();
}

} // namespace nestwright::xgboost
