#pragma once
/// \file What becomes of the programs that a sample drew: whether they compile, and compute what
/// they should, without a GPU (handbook/cuda.md 6) or on one.

#include "core/measure/worker_launch.h"
#include "core/schedule/state.h"
#include "core/target/target.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nestwright::cli {

/// Of programs that were compiled.
struct CompileCounts {
  std::uint64_t compiled = 0, spilling = 0;
  /// Kernels whose registers are at most 1.3 times what the space estimates, of all; and those of
  /// them whose registers are not so far below it either.
  std::uint64_t kernels = 0, withinEstimate = 0, withinBand = 0;
  double seconds = 0;
  std::map<std::string, std::uint64_t> failures; // how often, by the first line of the reason
};

/// Of programs that were run in the emulator on random inputs.
struct EmulationCounts {
  std::uint64_t agree = 0, wrong = 0;
  double seconds = 0;
  std::map<std::string, std::uint64_t> faults; // races and the like, by name
};

/// Of programs that workers ran, whose answers were compared with the naive program's. Refused are
/// those that would not run as they should and were not run: they spill, or take too much.
struct RunCounts {
  std::uint64_t agree = 0, wrong = 0, unchecked = 0, refused = 0, failed = 0;
  double seconds = 0;
  std::map<std::string, std::uint64_t> failures; // how often, by the verdict and the first line
};

struct SampleChecks {
  std::optional<CompileCounts> compile;
  std::optional<EmulationCounts> emulate;
  std::optional<RunCounts> run;
};

CompileCounts compileAll(const std::vector<State>& programs, const TargetFacts& target);
/// Throws UsageError when the target is no GPU.
EmulationCounts emulateAll(const std::vector<State>& programs, const TargetFacts& target);

/// By workers that are started so, on the machine of the target and its device of this name.
RunCounts runAll(const std::vector<State>& programs, const TargetFacts& target,
                 const std::string& device, const WorkerLaunch& launch);

nlohmann::json toJson(const RunCounts& counts);
std::string inWords(const RunCounts& counts);
nlohmann::json toJson(const CompileCounts& counts);
nlohmann::json toJson(const EmulationCounts& counts);
std::string inWords(const CompileCounts& counts);
std::string inWords(const EmulationCounts& counts);

} // namespace nestwright::cli
