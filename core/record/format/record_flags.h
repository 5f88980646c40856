#pragma once
/// \file The flags of a record in the file. Part of the file format.

#include <cstdint>

namespace nestwright {

namespace recordflag {

inline constexpr int kVerified = 1, kImplausible = 2, kBest = 4, kContested = 8, kOnDemand = 16;
inline constexpr int kAll = 31;
/// What is never a best, whatever its time.
inline constexpr int kDoubtful = kImplausible | kContested;

} // namespace recordflag

/// Whether a record may be its task's best at all: `code` is that of its verdict, as the file has
/// it, so that no forgotten one may.
constexpr bool mayBeBest(int code, std::int64_t flags) {
  return code == 0 && (flags & recordflag::kVerified) != 0 && (flags & recordflag::kDoubtful) == 0;
}

} // namespace nestwright
