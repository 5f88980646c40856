#include "core/session/run/tuning/round_size.h"

#include "core/session/schedule/task_scheduler.h"
#include "core/support/quantity.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {

RoundSize roundSize(const RoundLimits& limits) {
  const int spread = roundTrials(limits.budget, limits.used, limits.tasks, limits.largest);
  if (limits.room < spread)
    return {static_cast<int>(limits.room), "no more programs of this task are asked for"};
  if (spread >= limits.largest) return {spread, {}};
  if (spread == limits.budget - limits.used) return {spread, "the budget leaves no more"};
  return {spread, fmt::format("so that the budget of {} reaches each of the {} {}",
                              quantity(limits.budget, "trial"), quantity(limits.tasks, "task"),
                              spread == 1 ? "as often as it can" : "four times")};
}

} // namespace nestwright
