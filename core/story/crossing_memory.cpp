#include "core/story/crossing_memory.h"

#include "core/support/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright {
namespace {

using nlohmann::json;

constexpr CrossOutcome kOutcomes[] = {CrossOutcome::Legal, CrossOutcome::Illegal,
                                      CrossOutcome::Duplicate};

json childJson(const CrossChild& child) {
  json j{{"parents", child.parents},       {"owners", child.owners},
         {"outcome", name(child.outcome)}, {"reason", child.reason},
         {"program", child.programId},     {"origins", child.origins},
         {"better", child.predictedBetter}};
  if (!child.steps.empty()) j["steps"] = toJson(child.steps);
  if (child.score) j["score"] = *child.score;
  return j;
}

CrossChild childFromJson(const json& j, std::size_t parents) {
  CrossChild child;
  j.at("parents").get_to(child.parents);
  for (const int parent : child.parents)
    if (parent < 0 || static_cast<std::size_t>(parent) >= parents)
      throw InputError("a cross names a parent that is not there");
  j.at("owners").get_to(child.owners);
  const std::string outcome = j.at("outcome");
  const auto found = std::ranges::find_if(
      kOutcomes, [&](CrossOutcome candidate) { return outcome == name(candidate); });
  if (found == std::end(kOutcomes)) throw InputError("a cross has an unknown outcome");
  child.outcome = *found;
  j.at("reason").get_to(child.reason);
  j.at("program").get_to(child.programId);
  j.at("origins").get_to(child.origins);
  j.at("better").get_to(child.predictedBetter);
  if (j.contains("steps")) child.steps = stepsFromJson(j["steps"]);
  if (child.origins.size() != child.steps.size())
    throw InputError("a cross does not say where its steps come from");
  if (j.contains("score") && j["score"].is_number()) child.score = j["score"].get<double>();
  return child;
}

} // namespace

std::string crossingKey(RowId session) {
  return fmt::format("crossing/{}", session);
}

std::string toText(const CrossingMemory& memory) {
  json children = json::array();
  for (const CrossChild& child : memory.children)
    children.push_back(childJson(child));
  return json{{"task", memory.task},
              {"parents", memory.parents},
              {"seed", memory.seed},
              {"predicted", memory.predicted},
              {"unpredicted", memory.unpredicted},
              {"children", std::move(children)},
              {"waiting", memory.waiting}}
      .dump();
}

CrossingMemory crossingMemoryFromText(const std::string& text) {
  CrossingMemory memory;
  try {
    const json j = json::parse(text);
    j.at("parents").get_to(memory.parents);
    j.at("seed").get_to(memory.seed);
    j.at("predicted").get_to(memory.predicted);
    memory.unpredicted = j.value("unpredicted", std::string()); // older labs have none
    for (const json& child : j.at("children"))
      memory.children.push_back(childFromJson(child, memory.parents.size()));
    j.at("waiting").get_to(memory.waiting);
    j.at("task").get_to(memory.task);
    return memory;
  } catch (const json::exception&) {
    return {}; // of another version
  } catch (const InputError&) {
    return {};
  }
}

} // namespace nestwright
