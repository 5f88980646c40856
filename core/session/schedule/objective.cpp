#include "core/session/schedule/objective.h"

#include "core/support/error.h"
#include "core/support/json_fields.h"
#include "core/support/name_table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {
constexpr NameTable<ObjectiveKind, 4> kObjectiveNames = {{"f1", "f2", "f3", "f4"}};
}

const char* name(ObjectiveKind kind) {
  return kObjectiveNames.of(kind);
}

ObjectiveKind objectiveFromName(std::string_view text) {
  if (const auto kind = kObjectiveNames.find(text)) return *kind;
  throw UsageError(
      fmt::format("unknown objective \"{}\"; there are f1 (total latency), f2 (latency "
                  "requirements), f3 (geometric mean of speed-ups) and f4 (early stop)",
                  text));
}

double Objective::secondsOf(std::size_t network) const {
  return network < networkSeconds.size() ? networkSeconds[network] : 0;
}

double Objective::value(const std::vector<double>& latencies) const {
  if (kind == ObjectiveKind::SpeedUp) {
    double logSum = 0;
    int networks = 0;
    for (std::size_t i = 0; i < latencies.size(); ++i) {
      if (latencies[i] <= 0 || secondsOf(i) <= 0) continue;
      logSum += std::log(secondsOf(i) / latencies[i]);
      ++networks;
    }
    return networks > 0 ? -std::exp(logSum / networks) : 0;
  }
  double sum = 0;
  for (std::size_t i = 0; i < latencies.size(); ++i)
    sum += kind == ObjectiveKind::LatencyRequirement ? std::max(latencies[i], secondsOf(i))
                                                     : latencies[i];
  return sum;
}

Objective Objective::withReferences(const std::vector<double>& seconds) const {
  Objective complete = *this;
  if (kind != ObjectiveKind::SpeedUp) return complete;
  complete.networkSeconds.resize(std::max(seconds.size(), networkSeconds.size()), 0);
  for (std::size_t i = 0; i < seconds.size(); ++i)
    if (secondsOf(i) <= 0) complete.networkSeconds[i] = seconds[i];
  return complete;
}

template <class Io>
void fields(Io& io, Objective& objective) {
  io.named("kind", objective.kind, objectiveFromName);
  io("network_seconds", objective.networkSeconds);
  io("stop_after_rounds", objective.stopAfterRounds);
}

nlohmann::json toJson(const Objective& objective) {
  return toFields(objective);
}

Objective objectiveFromJson(const nlohmann::json& json) {
  Objective objective;
  readFields(json, objective);
  return objective;
}

} // namespace nestwright
