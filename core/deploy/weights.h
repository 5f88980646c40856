#pragma once
/// \file The constants of a network in one file that is mapped into memory: a header of 64 bytes,
/// then each constant at a multiple of 64, packed as its kernels read it (handbook/deploy.md 4).

#include "core/deploy/library.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

inline constexpr std::int64_t kWeightsHeaderBytes = 64;

/// Where the constants lie. Variants share those that they read in the same order; what is read by
/// the same variants lies together, so that each reads and checks no more than its own.
struct WeightsLayout {
  struct Constant {
    std::size_t variant = 0, buffer = 0; // one of those that it is for
  };
  struct Part {
    unsigned variants = 0;              // a bit for each that reads it
    std::int64_t offset = 0, bytes = 0; // from the file's begin
    std::vector<Constant> constants;    // one behind the other
  };
  std::vector<Part> parts;
  std::vector<std::vector<std::int64_t>> offsets; // by variant and buffer of its plan, from the
                                                  // file's begin; -1: no constant
  std::int64_t bytes = 0;                         // of the file
};
WeightsLayout weightsLayout(const std::vector<LibraryVariant>& variants);

/// Checksums of what is in the file.
struct WeightsSums {
  std::uint64_t all = 0; // of all that follows the header
  std::vector<std::uint64_t> parts;
};

/// Four sums of 64-bit words side by side, each a bijection of every word of its: any change of one
/// word changes the sum, and it runs as fast as memory is read. The glue of a library has the same
/// in C. The size is a multiple of 64.
std::uint64_t weightsChecksum(std::span<const std::uint8_t> bytes);

/// What the file begins with: its kind, version, and size and sum of the rest.
std::array<std::uint8_t, kWeightsHeaderBytes> weightsHeader(std::int64_t fileBytes,
                                                            std::uint64_t sum);

/// Makes the constants and writes the file, one at a time, so that it takes the memory of the
/// largest twice and not of all. Throws SystemError when it cannot be written.
WeightsSums writeWeights(const Library& library, const std::string& path);

} // namespace nestwright
