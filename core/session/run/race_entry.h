#pragma once
/// \file What makes a session part of a race (core/session/race/race.h): kept with its settings.
/// Such a session is alone in its file: what others measured of its task is no best of its own, and
/// the time of the naive program, which all share, is on nobody's clock.

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace nestwright {

struct RaceEntry {
  std::string race;  // its name: "3f9a01c2", the same in all of its sessions
  std::string racer; // what races: "evolutionary, draft=first"
  int racerNumber = 0, taskNumber = 0, seedNumber = 0; // as they were given, from 0
  int sessions = 0;                                    // of the race

  friend bool operator==(const RaceEntry&, const RaceEntry&) = default;
};

/// Nothing for a session that is part of none. Throws InputError for what cannot be read.
std::optional<RaceEntry> raceEntryFromJson(const nlohmann::json& sessionConfig);
/// Puts it beside the session's settings.
void keepRaceEntry(nlohmann::json& sessionConfig, const RaceEntry& entry);

} // namespace nestwright
