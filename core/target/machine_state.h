#pragma once
/// \file How fast and how warm the processor, or the GPU, is at a moment (C30): a time without that
/// says little about another day's.

#include <filesystem>
#include <optional>
#include <string>

namespace nestwright {

/// What the system tells; much of it is absent on virtual machines.
struct MachineState {
  std::optional<double> clockHertz; // of the core that asks, or of the GPU's multiprocessors
  std::optional<double> celsius;    // of the processor or the GPU
  // Only of a GPU:
  std::optional<double> watts{};
  std::string slowedBy{}; // why its clock is lower than it could be: "power cap"; empty: nothing
  /// Seconds of a fixed program that is timed every now and then (handbook/cuda.md 7.2), and how
  /// far they are from those at the beginning of the session: 0.05 is 5 % longer.
  std::optional<double> anchorSeconds{}, anchorShift{};

  /// The device is another one than it was: times from then and now are not to be compared.
  bool hasShifted() const;
  friend bool operator==(const MachineState&, const MachineState&) = default;
};

/// "3.19 GHz, 61 °C", "1.98 GHz, 54 °C, 310 W, slowed by power cap; 5 % slower than at the start";
/// empty when nothing is known.
std::string inWords(const MachineState& state);

/// Reads a handful of small files below `root` ("/"), for the core with this number. What is not
/// there, or no number that can be, is absent.
MachineState readMachineState(int core, const std::filesystem::path& root = "/");
/// Of the core that this thread runs on.
MachineState machineStateHere();

} // namespace nestwright
