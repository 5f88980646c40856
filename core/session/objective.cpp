#include "core/session/objective.h"

#include "core/support/error.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace nestwright {

namespace {
constexpr const char* kNames[] = {"f1", "f2", "f3", "f4"};
}

const char* name(ObjectiveKind kind) {
  return kNames[static_cast<int>(kind)];
}

ObjectiveKind objectiveFromName(std::string_view text) {
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    if (text == kNames[i]) return static_cast<ObjectiveKind>(i);
  throw UsageError(
      fmt::format("unknown objective \"{}\"; there are f1 (total latency), f2 (latency "
                  "requirements), f3 (geometric mean of speed-ups) and f4 (early stop)",
                  text));
}

double Objective::value(const std::vector<double>& latencies) const {
  const auto given = [&](std::size_t network, double missing) {
    return network < networkSeconds.size() ? networkSeconds[network] : missing;
  };
  if (kind == ObjectiveKind::SpeedUp) {
    double logSum = 0;
    for (std::size_t i = 0; i < latencies.size(); ++i)
      logSum += std::log(given(i, 1) / latencies[i]);
    return -std::exp(logSum / static_cast<double>(latencies.size()));
  }
  double sum = 0;
  for (std::size_t i = 0; i < latencies.size(); ++i)
    sum += kind == ObjectiveKind::LatencyRequirement ? std::max(latencies[i], given(i, 0))
                                                     : latencies[i];
  return sum;
}

nlohmann::json toJson(const Objective& objective) {
  return {{"kind", name(objective.kind)},
          {"network_seconds", objective.networkSeconds},
          {"stop_after_rounds", objective.stopAfterRounds}};
}

Objective objectiveFromJson(const nlohmann::json& json) {
  Objective objective;
  objective.kind = objectiveFromName(json.at("kind").get<std::string>());
  json.at("network_seconds").get_to(objective.networkSeconds);
  json.at("stop_after_rounds").get_to(objective.stopAfterRounds);
  return objective;
}

} // namespace nestwright
