#pragma once
/// \file What a race will be, told before it is made.

#include "core/session/race/race.h"

#include <cstddef>
#include <string>
#include <vector>

namespace nestwright {

struct RaceOutlook {
  std::vector<std::string> tasks; // their complete texts
  std::size_t sessions = 0;       // each with the whole budget
  double seconds = 0;             // of all of them together
};
/// `secondsPerTrial` counts where trials are the budget. Throws as checkRace().
RaceOutlook raceOutlook(const RaceWish& wish, double secondsPerTrial);

/// The text under which a race has a session's task: of the session's subjects the operator, or the
/// part of a network ("resnet18#3"), whose workload key this is. Empty where there is none;
/// subjects that cannot be read any more have none.
std::string raceTaskOf(const std::vector<std::string>& subjects, const std::string& key);

} // namespace nestwright
