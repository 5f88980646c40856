#include "core/record/format/target_facts.h"

#include "core/record/format/public_record.h"
#include "core/record/format/stored_json.h"
#include "core/target/target_json.h"

#include <nlohmann/json.hpp>

namespace nestwright {

TargetFacts factsOf(const TargetRow& target) {
  return targetFactsFromJson(
      storedJson(target.facts, fmt::format("the facts of target {}", target.id)));
}

std::optional<TargetFacts> factsIfKnown(const TargetRow& target) {
  try {
    return factsOf(target);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

bool isOfLog(const TargetRow& target) {
  const nlohmann::json facts = nlohmann::json::parse(target.facts, nullptr, false);
  return facts.is_object() && facts.contains(kLogHardware);
}

TargetFacts machineOf(TargetFacts facts) {
  facts.recorded = false;
  return facts;
}

std::string machineIdOf(const TargetRow& target) {
  const std::optional<TargetFacts> facts = factsIfKnown(target);
  return facts && facts->recorded ? machineOf(*facts).id() : target.key;
}

} // namespace nestwright
