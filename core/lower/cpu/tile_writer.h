#pragma once
/// \file A reduction nest written as loops over register tiles.

#include "core/lower/cpu/register_tile.h"
#include "core/lower/cpu/tile_epilogue.h"

namespace nestwright {

/// For each tile: the accumulators' start values, the reduction loops around one statement per
/// accumulator vector, and the store of the results. What is left at the ends of loops whose extent
/// the tile does not divide gets smaller tiles of its own. Where terms change nothing at the
/// border, tiles there are versions of their own without them (tap_plan.h). With an `epilogue` of
/// the nest's results, what it stores takes their place; null when that has no vector form.
Stmt writeTiles(const ReductionNest& nest, const RegisterTile& tile, IndexSimplifier& simplify,
                const TileEpilogue* epilogue = nullptr);

} // namespace nestwright
