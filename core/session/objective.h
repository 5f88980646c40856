#pragma once
/// \file What a session minimises: the four objectives of the Ansor paper (reference/ansor.md 8.1).

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

enum class ObjectiveKind : std::uint8_t {
  TotalLatency,       // f1: the sum of all networks' latencies
  LatencyRequirement, // f2: as f1, but a network below its requirement L counts as L
  SpeedUp,            // f3: minus the geometric mean of the speed-ups against references B
  EarlyStop,          // f4: as f1, but a task that has stopped improving counts as finished
};
/// "f1" .. "f4".
const char* name(ObjectiveKind kind);
/// Throws UsageError listing them.
ObjectiveKind objectiveFromName(std::string_view text);

struct Objective {
  ObjectiveKind kind = ObjectiveKind::TotalLatency;
  /// Per network, in the session's order, seconds: L of f2, B of f3. Missing ones count as 0 for L
  /// and as 1 for B.
  std::vector<double> networkSeconds;
  int stopAfterRounds = 5; // f4: rounds without improvement after which a task counts as finished

  /// The objective over the networks' latencies (seconds); lower is better.
  double value(const std::vector<double>& latencies) const;
};

nlohmann::json toJson(const Objective& objective);
Objective objectiveFromJson(const nlohmann::json& json);

} // namespace nestwright
