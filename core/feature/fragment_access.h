#pragma once
/// \file Where the lanes of a warp find the tile of an operand that they load for a tensor
/// instruction (StmtKind::LoadFragment). Addresses are in bytes.

#include "core/feature/memory_access.h"
#include "core/feature/warp_access.h"

#include <vector>

namespace nestwright {

/// Bytes of a row of eight neighbours, which one lane names.
inline constexpr int kFragmentRowBytes = 16;

/// Of all such rows of a tile that is loaded whole; `first` is the position of its first element.
std::vector<std::int64_t> rowAddresses(const StmtNode& load, std::int64_t first);

/// Of the element with this number of each lane, in a tile that is loaded by single ones; `first`
/// as each lane sees it.
std::vector<std::int64_t> laneAddresses(const StmtNode& load, const LaneValues& first, int number);

/// All elements of the tile, in loops of its own inside of the others.
MemoryAccess tileAccess(const StmtNode& load, std::vector<LoopAround> loops);

} // namespace nestwright
