#pragma once
/// \file What a backend found of itself on this machine.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

/// What of a backend may be missing. The details of a device have its "target".
enum class BackendPart : std::uint8_t { Compiler, Disassembler, Driver, Device };

/// One thing that a backend needs.
struct BackendFinding {
  BackendPart part = BackendPart::Compiler;
  std::string what; // its name: "NVRTC", "driver", "device 0"
  std::string fact; // "13.0 in /usr/local/cuda/lib64; compiles for sm_75 ...", or why it is missing
  std::string advice; // how to get what is missing; empty when nothing is
  nlohmann::json details = nlohmann::json::object(); // the same for programs
};

using BackendSurvey = std::vector<BackendFinding>;

} // namespace nestwright
