#pragma once
/// \file What a session minimises: the four objectives of the Ansor paper (handbook/ansor.md 8.1).

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
  /// Per network, in the session's order, seconds: L of f2, B of f3. 0 or missing: none is given;
  /// then f2 counts the network as f1 does, and f3 measures it against its naive programs.
  std::vector<double> networkSeconds;
  int stopAfterRounds = 5; // f4: rounds without improvement after which a task counts as finished

  friend bool operator==(const Objective&, const Objective&) = default;
  /// The objective over the networks' latencies (seconds); lower is better. A network of which
  /// nothing was measured yet has latency 0 and does not count.
  double value(const std::vector<double>& latencies) const;
  /// The same objective with f3's missing references taken from these, in the same order.
  Objective withReferences(const std::vector<double>& seconds) const;
  /// The L or B given for a network, or 0.
  double secondsOf(std::size_t network) const;
};

nlohmann::json toJson(const Objective& objective);
Objective objectiveFromJson(const nlohmann::json& json);

} // namespace nestwright
