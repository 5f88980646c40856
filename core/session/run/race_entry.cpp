#include "core/session/run/race_entry.h"

#include "core/support/error.h"
#include "core/support/json_fields.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwright {

namespace {

constexpr const char* kRaceKey = "race";

} // namespace

template <class Io>
void fields(Io& io, RaceEntry& entry) {
  io("name", entry.race);
  io("racer", entry.racer);
  io("racer_number", entry.racerNumber);
  io("task_number", entry.taskNumber);
  io("seed_number", entry.seedNumber);
  io("sessions", entry.sessions);
}

std::optional<RaceEntry> raceEntryFromJson(const nlohmann::json& sessionConfig) {
  const auto kept = sessionConfig.find(kRaceKey);
  if (kept == sessionConfig.end()) return std::nullopt;
  RaceEntry entry;
  try {
    readFields(*kept, entry);
  } catch (const nlohmann::json::exception& error) {
    throw InputError(
        fmt::format("which race the session is part of cannot be read ({})", error.what()));
  }
  if (entry.race.empty() || entry.racerNumber < 0 || entry.taskNumber < 0 || entry.seedNumber < 0)
    throw InputError("which race the session is part of is impossible; the file was altered or is "
                     "damaged");
  return entry;
}

void keepRaceEntry(nlohmann::json& sessionConfig, const RaceEntry& entry) {
  sessionConfig[kRaceKey] = toFields(entry);
}

} // namespace nestwright
