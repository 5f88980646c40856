#pragma once
/// \file The constants of a network in one file that is mapped into memory: a header of 64 bytes,
/// then each constant at a multiple of 64, packed as its kernels read it (handbook/deploy.md 3).

#include "core/deploy/library.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

inline constexpr std::int64_t kWeightsHeaderBytes = 64;

/// Where the constants lie.
struct WeightsLayout {
  std::vector<std::int64_t>
      offsets;            // by buffer of the plan, from the file's begin; -1: no constant
  std::int64_t bytes = 0; // of the file
};
WeightsLayout weightsLayout(const ExecutionPlan& plan);

/// Four sums of 64-bit words side by side, each a bijection of every word of its: any change of one
/// word changes the sum, and it runs as fast as memory is read. The glue of a library has the same
/// in C. The size is a multiple of 64.
std::uint64_t weightsChecksum(std::span<const std::uint8_t> bytes);

/// Makes the constants and writes the file, one at a time, so that it takes the memory of the
/// largest twice and not of all. Returns the checksum of what follows the header. Throws
/// SystemError when it cannot be written.
std::uint64_t writeWeights(const Library& library, const std::string& path);

} // namespace nestwright
