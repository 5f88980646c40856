#pragma once
/// \file What `nestwright run` found of a network, for people and for programs.

#include "core/execute/network_runner.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace nestwright::cli {

struct RunReport {
  std::string network, database;     // as they were given
  std::string checkedAgainst;        // "naive", "device", "onnx" or nothing
  std::string uncheckedReason;       // why it could not be compared with that
  std::string target;                // TargetFacts::text
  std::vector<double> repeats;       // seconds
  LatencyProfile profile;            // of one run
  std::vector<double> perTask;       // of the profiled run, seconds
  double untunedShare = 0;           // of the time of one run
  double explained = 0;              // share of the profiled run that the tasks take
  std::array<double, 3> shares{};    // the same by ProgramKind
  std::optional<CopySeconds> copies; // where the device has memory of its own
  std::optional<double> relativeError, expectedError;
  std::optional<double> precisionError; // of products of bfloat16: against those of float32
};

/// Fills what follows from the profile: by task and by kind of program.
void addShares(RunReport& report, const Partition& partition, const BuiltNetwork& built);

nlohmann::json toJson(const RunReport& report, const Partition& partition,
                      const BuiltNetwork& built);
/// With `profile`, a table of the tasks first.
void printReport(const RunReport& report, const BuiltNetwork& built, bool profile);

} // namespace nestwright::cli
