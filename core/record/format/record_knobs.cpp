#include "core/record/format/record_knobs.h"

#include "core/record/format/record_program.h"
#include "core/record/format/stored_json.h"
#include "core/support/error.h"
#include "core/template/entity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright {

namespace {

using nlohmann::json;

std::string kindInWords(const std::string& kind) {
  return kind == "sp" ? "split" : kind == "re" ? "order" : kind == "an" ? "annotation" : "value";
}

std::string valueText(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::vector<std::string> parts;
  for (const json& part : value)
    parts.push_back(valueText(part));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// AutoTVM's list of entities; null where there is none.
json entitiesOf(const Record& record) {
  if (const auto config = ownTemplateConfigOf(record)) {
    json entities = json::array();
    for (const NamedEntity& entity : config->entities)
      entities.push_back(json::parse(toJson(entity).dump()));
    return entities;
  }
  if (record.trace.empty()) return nullptr;
  const json trace = storedJson(record.trace, fmt::format("the origin of record {}", record.id));
  const json::json_pointer place("/log/config/entity");
  return trace.is_object() && trace.contains(place) ? trace.at(place) : json();
}

} // namespace

std::vector<RecordKnob> recordKnobs(const Record& record) {
  std::vector<RecordKnob> knobs;
  const json entities = entitiesOf(record);
  if (entities.is_null()) return knobs;
  return readStored(fmt::format("the configuration of record {}", record.id), [&] {
    for (const json& entity : entities)
      knobs.push_back({entity.at(0).get<std::string>(),
                       kindInWords(entity.at(1).get<std::string>()), valueText(entity.at(2))});
    return knobs;
  });
}

std::string knobTable(const std::vector<RecordKnob>& knobs) {
  std::size_t knobWidth = 0, kindWidth = 0;
  for (const RecordKnob& knob : knobs) {
    knobWidth = std::max(knobWidth, knob.knob.size());
    kindWidth = std::max(kindWidth, knob.kind.size());
  }
  std::string text;
  for (const RecordKnob& knob : knobs)
    text +=
        fmt::format("{:<{}}  {:<{}}  {}\n", knob.knob, knobWidth, knob.kind, kindWidth, knob.value);
  return text;
}

} // namespace nestwright
