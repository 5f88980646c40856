#include "core/target/device_state.h"

#include "core/support/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nestwright {

std::string limitsInWords(const DeviceState& state) {
  std::string words;
  for (const ClockLimit limit : state.slowedBy)
    words += (words.empty() ? "" : ", ") + std::string(name(limit));
  return words;
}

std::string inWords(const DeviceState& state) {
  std::vector<std::string> parts;
  if (state.clockHertz) parts.push_back(formatFrequency(*state.clockHertz));
  if (state.celsius) parts.push_back(fmt::format("{:.0f} °C", *state.celsius));
  if (state.watts) parts.push_back(formatPower(*state.watts));
  if (!state.slowedBy.empty()) parts.push_back("slowed by " + limitsInWords(state));
  if (state.otherProcesses.value_or(0) > 0)
    parts.push_back(fmt::format("{} other {}", *state.otherProcesses,
                                *state.otherProcesses == 1 ? "process" : "processes"));
  if (state.isDivided && !parts.empty())
    parts.back() += "; all of this of the whole card, which is divided into instances (MIG)";
  return fmt::format("{}", fmt::join(parts, ", "));
}

} // namespace nestwright
