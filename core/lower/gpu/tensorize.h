#pragma once
/// \file Pass: the loops that a tensor instruction takes the place of become instructions of a warp
/// (handbook/cuda.md 10).

#include "core/lower/loop_ir.h"

namespace nestwright {

/// Replaces each Tensorized tile by loads of fragments and an Mma; the sums, which every thread had
/// for itself, by the share of them that a lane holds. For launches whose loops are bound to their
/// threads. Throws IllegalSchedule where the tile is none that the instruction computes, where
/// threadIdx.x is not a warp, or where a lane reads sums that another one holds.
Stmt tensorize(const Stmt& s);

} // namespace nestwright
