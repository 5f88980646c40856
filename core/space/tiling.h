#pragma once
/// \file Multi-level tiling of a stage, and of the consumer that follows it
/// (handbook/ansor.md 2.5, 2.6).

#include "core/schedule/state.h"

#include <string_view>
#include <vector>

namespace nestwright {

/// Splits every loop of the stage by the structure ("SSRSRS", outermost level first) with undecided
/// factors, and orders the parts level by level. Returns the numbers of the split steps of the
/// spatial loops, in loop order. Loops that the operator wants whole stay whole. `innermost`: the
/// last factor of each loop, in loop order, where these are decided; else empty.
std::vector<int> tileStage(State& state, int stage, std::string_view structure,
                           const std::vector<TileSize>& innermost = {});

/// Tiles a purely spatial consumer in `levels` + 1 levels after the spatial splits of its producer.
void followTiling(State& state, int consumer, const std::vector<int>& spatialSplits, int levels);

} // namespace nestwright
