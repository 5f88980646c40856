#include "core/record/format/imported_log.h"

#include "core/record/format/stored_json.h"

#include <nlohmann/json.hpp>

namespace nestwright {

nlohmann::ordered_json logOf(const Record& record) {
  using Json = nlohmann::ordered_json;
  if (record.trace.find("\"log\"") == std::string::npos) return Json::object();
  const Json trace = Json::parse(record.trace, nullptr, false);
  return trace.is_object() && trace.contains("log") ? trace["log"] : Json::object();
}

std::vector<LogFact> importedFacts(const Record& record) {
  storedJson(record.trace, fmt::format("the origin of record {}", record.id)); // or it throws
  std::vector<LogFact> facts;
  const nlohmann::ordered_json log = logOf(record);
  if (!log.is_object()) return facts;
  for (const auto& [key, value] : log.items())
    if (key != "config" && !value.is_null())
      facts.push_back({key, value.is_string() ? value.get<std::string>() : value.dump()});
  return facts;
}

} // namespace nestwright
