#include "core/schedule/illegal_step.h"

#include <fmt/format.h>

#include <utility>

namespace nestwright {

IllegalStep::IllegalStep(const std::string& where, std::string reason, int stepIndex)
    : IllegalSchedule(fmt::format("{} is illegal: {}", where, reason), stepIndex),
      reason_(std::move(reason)) {}

std::string generalReason(const IllegalSchedule& error) {
  const auto* step = dynamic_cast<const IllegalStep*>(&error);
  return step ? step->reason() : error.what();
}

} // namespace nestwright
