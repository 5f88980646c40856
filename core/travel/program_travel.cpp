#include "core/travel/program_travel.h"

#include "core/support/name_table.h"

#include <cmath>

namespace nestwright {

namespace {

constexpr NameTable<Travel, kTravels> kTravelNames{
    {"everywhere", "several targets", "one target", "nowhere", "not measured everywhere"}};

} // namespace

const char* name(Travel travel) {
  return kTravelNames.of(travel);
}

bool isGood(double seconds, double best, double within) {
  return std::isfinite(seconds) && seconds <= best * (1 + within);
}

std::vector<std::size_t> goodTargets(const TaskTimes& task, std::size_t program, double within) {
  std::vector<std::size_t> good;
  for (std::size_t target = 0; target < task.targets.size(); ++target)
    if (isGood(task.of(program)[target], task.best[target], within)) good.push_back(target);
  return good;
}

Travel travelOf(const TaskTimes& task, std::size_t program, double within) {
  std::size_t good = 0, unknown = 0;
  for (std::size_t target = 0; target < task.targets.size(); ++target) {
    const double seconds = task.of(program)[target];
    if (std::isnan(seconds))
      ++unknown;
    else if (isGood(seconds, task.best[target], within))
      ++good;
  }
  const std::size_t bad = task.targets.size() - good - unknown;
  if (good == task.targets.size()) return Travel::Everywhere;
  if (good > 1 && bad > 0) return Travel::Several; // whatever the others would say
  if (unknown > 0) return Travel::Unknown;
  return good == 0 ? Travel::Nowhere : Travel::OneTarget;
}

TaskTravels travelsOf(const TaskTimes& task, double within) {
  TaskTravels travels;
  for (std::size_t program = 0; program < task.programs.size(); ++program) {
    travels.programs.push_back(travelOf(task, program, within));
    ++travels.counts[static_cast<std::size_t>(travels.programs.back())];
  }
  return travels;
}

} // namespace nestwright
