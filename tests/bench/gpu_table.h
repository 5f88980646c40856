#pragma once
/// \file Our programs beside NVIDIA's libraries in the same run, operator by operator, and what was
/// to be reached (handbook/cuda.md 11).

#include "tests/bench/gpu_bench.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <vector>

namespace nestwright::bench {

struct TableOptions {
  std::string database, rules, only; // only: operators with this in their name
  std::int64_t trials = 150;         // of each operator
  std::uint64_t seed = 1;
  double seconds = 0; // for all operators together, shared out evenly; 0: as long as it takes
  bool small = false; // a rehearsal: operators of a few elements
};

/// Asks for the target, tunes and measures, one operator of each kind first. `onRow` gets all that
/// is known so far after each, with the geometric means: what ends early has what was measured.
nlohmann::json gpuTable(GpuBench bench, const TableOptions& options,
                        const std::function<void(const nlohmann::json& table)>& onRow);

/// What a process of its own is asked for, since NVIDIA's libraries keep the device as long as
/// their process lives, and workers could not have it where it is one process's alone: the
/// libraries' versions and the device's state, and for the operator of this label (none: empty) the
/// peer's time, or why there is none. Throws DeviceError (Absent).
nlohmann::json gpuPeer(const std::string& device, const std::string& label, bool small);

/// The line above rows, and a row of gpuTable(), as they are printed.
std::string tableHead();
std::string tableLine(const nlohmann::json& row);
/// A sentence for each kind of operator: the geometric mean of its ratios, beside the goal.
std::vector<std::string> tableMeans(const nlohmann::json& table);

} // namespace nestwright::bench
