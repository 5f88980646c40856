#pragma once
/// \file What of the machine's state of now makes measurements worse than they could be (C33).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// What of the machine a fact is about.
enum class EnvironmentKind : std::uint8_t {
  Governor, // of the processors' clocks
  Boost,
  Load, // other programs
  Threads,
  Power,
  Memory,
  Host,
  Gpu,
};
/// "governor", "GPU".
const char* name(EnvironmentKind kind);
/// Throws InputError for any other text.
EnvironmentKind environmentKindFromName(std::string_view text);

/// One fact about the machine as it is now.
struct EnvironmentFinding {
  EnvironmentKind what = EnvironmentKind::Governor;
  std::string fact;   // "the clock's governor is powersave"
  std::string advice; // one sentence; empty when nothing is wrong
  friend bool operator==(const EnvironmentFinding&, const EnvironmentFinding&) = default;
};

/// What can be found out; a fact that the machine does not tell is left out. Reads small files of
/// /sys and /proc below `root` (a test's), in about a millisecond.
std::vector<EnvironmentFinding> checkEnvironment(const std::string& root = "");

/// "the clock's governor is powersave: set it to performance …": the findings with advice.
std::vector<std::string> environmentAdvice(const std::vector<EnvironmentFinding>& findings);

} // namespace nestwright
