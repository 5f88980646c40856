#pragma once
/// \file What a kernel of a GPU took when it was measured, as its compiler said.

#include "core/target/occupancy.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

struct MeasuredKernel {
  std::string entry;            // symbol name
  int registers = 0;            // of a thread
  std::int64_t spillBytes = 0;  // that a thread moves out of its registers and back
  std::int64_t stackBytes = 0;  // that a thread has in memory of its own, spills among them
  std::int64_t sharedBytes = 0; // of a block
  Occupancy occupancy;          // on the GPU that it was compiled for

  bool operator==(const MeasuredKernel&) const = default;
};

/// "nw_C: 64 registers, no spills, 16 KiB of shared memory; 24 of 64 warps, 3 blocks; limited by
/// registers".
std::string inWords(const MeasuredKernel& kernel);

/// A list of objects; the inverse throws nlohmann::json::exception, or InputError for a limit that
/// there is not.
nlohmann::json toJson(const std::vector<MeasuredKernel>& kernels);
std::vector<MeasuredKernel> measuredKernelsFromJson(const nlohmann::json& json);

} // namespace nestwright
