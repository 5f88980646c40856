#pragma once
/// \file What a kernel keeps to on every GPU so that compilers can cope with it: legality before a
/// program is lowered and the passes that lower it have the same limits.

#include <array>
#include <cstdint>

namespace nestwright {

/// Statements of a kernel after unrolling. Compilers take longer than in proportion to them.
inline constexpr std::int64_t kMostKernelStatements = 4096;
/// Elements of a tile in registers: all of its loops are unrolled.
inline constexpr std::int64_t kMostRegisterElements = 256;

/// Blocks of a kernel along x, y and z.
inline constexpr std::array<std::int64_t, 3> kMostBlocks = {2'147'483'647, 65'535, 65'535};
/// Threads of a block along z; along x and y there are as many as a block has.
inline constexpr std::int64_t kMostThreadsAlongZ = 64;

/// Bytes that an array takes of a block's shared memory: each begins at a multiple of 16.
constexpr std::int64_t sharedBytesOf(std::int64_t arrayBytes) {
  constexpr std::int64_t kAlignment = 16;
  return (arrayBytes + kAlignment - 1) / kAlignment * kAlignment;
}

} // namespace nestwright
