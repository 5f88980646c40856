#include "core/session/insight/salvage_document.h"

#include "core/session/run/session.h"

#include <nlohmann/json.hpp>

namespace nestwright {

SalvageReport salvageDocument(const std::string& damaged, const std::string& into,
                              const std::atomic<bool>& stop,
                              const std::function<void(const SalvageProgress&)>& onProgress) {
  SessionConfig config;
  config.subjects = {"salvaged records"};
  nlohmann::json json = toJson(config);
  json["import"] = nlohmann::json::array();
  return salvageFile(damaged, into, json.dump(), stop, onProgress);
}

} // namespace nestwright
