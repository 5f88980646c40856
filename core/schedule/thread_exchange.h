#pragma once
/// \file How threads that reduce together hand their values over (handbook/cuda.md 3.4).

#include <cstddef>
#include <cstdint>

namespace nestwright {

enum class ThreadExchange : std::uint8_t {
  Shuffles,     // within warps
  WarpsInBlock, // within each warp, then a value a warp in the block's memory
  AllInBlock,   // a value a thread there
};

/// Of `extent` threads along an axis (x, y, z), in a block of so many threads.
ThreadExchange threadExchange(std::size_t axis, std::int64_t extent, std::int64_t threadsPerBlock);

/// Values that lie in the block's memory for it.
std::int64_t exchangedValues(std::size_t axis, std::int64_t extent, std::int64_t threadsPerBlock);

} // namespace nestwright
