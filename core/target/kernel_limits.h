#pragma once
/// \file What a kernel keeps to on every GPU so that compilers can cope with it: legality before a
/// program is lowered and the passes that lower it have the same limits.

#include <cstdint>

namespace nestwright {

/// Statements of a kernel after unrolling. Compilers take longer than in proportion to them.
inline constexpr std::int64_t kMostKernelStatements = 4096;
/// Elements of a tile in registers: all of its loops are unrolled.
inline constexpr std::int64_t kMostRegisterElements = 256;

} // namespace nestwright
