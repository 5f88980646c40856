#pragma once
/// \file The flags of a record in the file. Part of the file format.

namespace nestwright::recordflag {

inline constexpr int kVerified = 1, kImplausible = 2, kBest = 4, kContested = 8, kOnDemand = 16;
inline constexpr int kAll = 31;

} // namespace nestwright::recordflag
