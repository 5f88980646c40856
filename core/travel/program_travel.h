#pragma once
/// \file How far a program travels: on which of a task's targets it is about as fast as the best
/// one there.

#include "core/travel/travel_times.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace nestwright {

enum class Travel : std::uint8_t {
  Everywhere, // good on all targets of the task
  Several,    // on more than one
  OneTarget,  // on one, and measured on all others
  Nowhere,    // on none, and measured on all
  Unknown     // it was not measured on every target, and what is missing would decide
};
inline constexpr std::size_t kTravels = 5;
/// "everywhere", "several targets", "one target", "nowhere", "not measured everywhere".
const char* name(Travel travel);

/// Whether the time is within `within` (0.05: 5 %) of the best. A program that failed or was not
/// measured never is.
bool isGood(double seconds, double best, double within);

/// The places in TaskTimes::targets where the program is good.
std::vector<std::size_t> goodTargets(const TaskTimes& task, std::size_t program, double within);

Travel travelOf(const TaskTimes& task, std::size_t program, double within);

/// Of all programs of the task, and how many there are of each kind.
struct TaskTravels {
  std::vector<Travel> programs;
  std::array<std::size_t, kTravels> counts{};
};
TaskTravels travelsOf(const TaskTimes& task, double within);

} // namespace nestwright
