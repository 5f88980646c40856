#pragma once
/// \file What the verb race prints of a race.

#include "core/session/race/race_result.h"

#include <string>

namespace nestwright::cli {

/// For each task the racers' throughput at parts of the budget, then who wins how often.
void printRace(const RaceResult& result);

/// The same as one JSON document. `status`: "finished" or "paused".
void printRaceJson(const RaceResult& result, const std::string& database, SessionStatus status);

/// A line on standard error for each session that failed, with the reason.
void reportFailures(const RecordStore& store, const Race& race);

} // namespace nestwright::cli
