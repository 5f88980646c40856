#pragma once
/// \file How fast and how warm the processor is at a moment (C30): a time without that says little
/// about another day's.

#include <filesystem>
#include <optional>
#include <string>

namespace nestwright {

/// What the system tells; much of it is absent on virtual machines.
struct MachineState {
  std::optional<double> clockHertz; // of the core that asks
  std::optional<double> celsius;    // of the processor
  friend bool operator==(const MachineState&, const MachineState&) = default;
};

/// "3.19 GHz, 61 °C"; empty when nothing is known.
std::string inWords(const MachineState& state);

/// Reads a handful of small files below `root` ("/"), for the core with this number. What is not
/// there, or no number that can be, is absent.
MachineState readMachineState(int core, const std::filesystem::path& root = "/");
/// Of the core that this thread runs on.
MachineState machineStateHere();

} // namespace nestwright
