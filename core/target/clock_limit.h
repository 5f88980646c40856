#pragma once
/// \file Why a GPU's clock is lower than it could be.

#include <cstdint>
#include <string_view>

namespace nestwright {

/// As NVML counts them, the first in its lowest bit.
enum class ClockLimit : std::uint8_t {
  Idle,
  ApplicationClocks, // somebody has fixed them
  PowerCap,
  HardwareSlowdown,
  SyncBoost,
  SoftwareThermal,
  HardwareThermal,
  PowerBrake,
  DisplayClocks,
};
inline constexpr int kClockLimits = 9;

/// "being idle", "power cap".
const char* name(ClockLimit limit);
/// Throws InputError for any other text.
ClockLimit clockLimitFromName(std::string_view text);
/// An idle card and one whose clock somebody has fixed are slowed, too, and no worse for it.
bool isHarmless(ClockLimit limit);

} // namespace nestwright
