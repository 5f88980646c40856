#include "core/search/search_policy.h"

#include "core/search/evolutionary_policy.h"
#include "core/search/random_policy.h"
#include "core/support/error.h"
#include "core/support/name_table.h"

#include <nlohmann/json.hpp>

namespace nestwright {

namespace {

constexpr NameTable<PickReason, 5> kPickReasonNames = {
    {"", "best predicted", "epsilon-greedy", "random", "crossing lab"}};

} // namespace

const char* name(PickReason reason) {
  return kPickReasonNames.of(reason);
}

PickReason pickReasonFromName(std::string_view text) {
  return kPickReasonNames.find(text).value_or(PickReason::None);
}

nlohmann::json toJson(const Trace& trace) {
  nlohmann::json json = {{"operation", name(trace.origin)},
                         {"parents", trace.parents},
                         {"draw", trace.draw},
                         {"sketch", trace.sketch}};
  if (trace.predictedScore) json["predicted_score"] = *trace.predictedScore;
  if (trace.selection != PickReason::None) json["selection"] = name(trace.selection);
  if (trace.round > 0) json["round"] = trace.round;
  if (trace.source != 0) json["source"] = trace.source;
  return json;
}

Trace traceFromJson(const nlohmann::json& json) {
  try {
    Trace trace;
    trace.origin = originFromName(json.at("operation").get<std::string>());
    trace.parents = json.at("parents").get<std::vector<std::string>>();
    trace.draw = json.at("draw").get<std::uint64_t>();
    trace.sketch = json.at("sketch").get<int>();
    if (json.contains("predicted_score"))
      trace.predictedScore = json["predicted_score"].get<double>();
    trace.selection = pickReasonFromName(json.value("selection", std::string()));
    trace.round = json.value("round", 0);
    trace.source = json.value("source", RowId(0));
    return trace;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("this is no trace of a candidate: {}", error.what()));
  }
}

namespace {

std::unique_ptr<SearchPolicy> makeRandom(const PolicyOptions&) {
  return std::make_unique<RandomPolicy>();
}

std::unique_ptr<SearchPolicy> makeEvolutionary(const PolicyOptions& options) {
  EvolutionaryPolicyOptions evolutionary;
  evolutionary.epsilon = options.epsilon;
  evolutionary.samplesPerProposal = evolutionary.evolution.population = options.population;
  evolutionary.evolution.generations = options.generations;
  return std::make_unique<EvolutionaryPolicy>(evolutionary);
}

} // namespace

const std::vector<SearchPolicyKind>& builtInSearchPolicies() {
  static const std::vector<SearchPolicyKind> kinds = {
      {.name = "random",
       .purpose = "Programs are drawn blindly: tile sizes and annotations at random.",
       .make = makeRandom},
      {.name = "evolutionary",
       .purpose = "Programs are bred under a cost model that learns on the way.",
       .learns = true,
       .make = makeEvolutionary}};
  return kinds;
}

} // namespace nestwright
