#pragma once
/// \file Pass: accumulators kept in registers.

#include "core/lower/loop_ir.h"
#include "core/lower/lower.h"

namespace nestwright {

/// Re-tiles the spatial loops around and inside the innermost reduction loops of every update, so
/// that a tile of accumulators fits the vector registers and stays there over these reduction
/// loops: load the tile (or take the neutral element), reduce, store it back. Elements of a tile
/// are independent, hence interchanging their loops with the reduction's changes no result. Tile
/// sizes come from a small model of fused multiply-adds, loads and latency per reduction step (see
/// register_tile.h). Terms that change nothing, as products with padding, are left out where that
/// can be decided for a row of the tile or for all of it (tap_plan.h).
Stmt promoteAccumulators(const Stmt& s, const LowerOptions& options);

} // namespace nestwright
