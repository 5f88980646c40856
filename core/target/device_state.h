#pragma once
/// \file How fast, how warm and how free a GPU is at a moment (C30).

#include "core/target/clock_limit.h"

#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// What the system tells; absent where it does not.
struct DeviceState {
  std::optional<double> clockHertz; // of the multiprocessors
  std::optional<double> celsius;
  std::optional<double> watts;
  std::vector<ClockLimit> slowedBy;  // what holds the clock down
  std::optional<int> otherProcesses; // that compute on it besides the one that asks
  /// The card is divided into instances (MIG), and the device is one of them: what is told here is
  /// of the whole card.
  bool isDivided = false;

  friend bool operator==(const DeviceState&, const DeviceState&) = default;
};

/// "power cap, sync boost"; empty when nothing holds the clock down.
std::string limitsInWords(const DeviceState& state);
/// "1.98 GHz, 54 °C, 310 W, slowed by power cap"; empty when nothing is known.
std::string inWords(const DeviceState& state);

} // namespace nestwright
