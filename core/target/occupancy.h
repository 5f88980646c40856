#pragma once
/// \file How many blocks of a kernel a multiprocessor of a GPU holds at a time.

#include "core/target/gpu_facts.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace nestwright {

/// What a block of a kernel takes.
struct BlockDemand {
  std::int64_t threads = 1;
  int registers = 0;            // of a thread; 0: unknown
  std::int64_t sharedBytes = 0; // without what the system reserves
};

enum class OccupancyLimit : std::uint8_t { Threads, Blocks, Registers, SharedMemory };

struct Occupancy {
  int blocks = 0; // of a multiprocessor; 0: not even one fits
  int warps = 0;  // that these have
  int mostWarps = 0;
  OccupancyLimit limit = OccupancyLimit::Threads; // what keeps another block out

  double share() const { return mostWarps > 0 ? static_cast<double>(warps) / mostWarps : 0; }
  bool operator==(const Occupancy&) const = default;
};

/// Registers are given out by warp in units of 256, from four files of which each serves a quarter
/// of the warps; shared memory by block in units of 128 bytes.
Occupancy occupancyOf(const GpuFacts& gpu, const BlockDemand& block);

/// The most registers of a thread with which a multiprocessor holds so many warps.
int registersAt(const GpuFacts& gpu, int warps);

/// "registers", "shared memory", ...
const char* name(OccupancyLimit limit);
/// Throws InputError for a text that names none.
OccupancyLimit occupancyLimitFromName(std::string_view text);
/// "24 of 64 warps, 3 blocks; limited by registers".
std::string inWords(const Occupancy& occupancy);

} // namespace nestwright
