#pragma once
/// \file Which loops of a program can fetch their next tiles while they work on the present one.

#include "core/schedule/bounds.h"

namespace nestwright {

/// The innermost loop of the stage that has something computed right inside it that a block's
/// threads share, by its number; -1 when there is none.
int innermostFetchLoop(const State& state, int stage);

/// The outermost of the loops over the tiles that are fetched there: the first one inside of the
/// next loop out that fetches something. 0 when there is no such loop.
int outermostTileLoop(const State& state, int stage);

/// Tiles that a stage fetches one after another: iterations of its reduction loops between these
/// two; 1 when it fetches nothing.
std::int64_t fetchedTiles(const State& state, const Bounds& bounds, int stage);

/// Tiles in shared memory at once: as many as Stage::pipelineStages says, if there are so many.
std::int64_t tilesAtOnce(const State& state, const Bounds& bounds, int stage);

} // namespace nestwright
