#pragma once
/// \file Pass: the next tiles of a reduction are fetched while a block works on the present one.

#include "core/lower/loop_ir.h"
#include "core/target/gpu_facts.h"

namespace nestwright {

/// Loops with more than one pipeline stage become one loop over all tiles (handbook/cuda.md 3.6):
/// what its threads fetch together has room for as many tiles, the first of which are fetched
/// before the loop. Each iteration waits for its tile, meets at one barrier, has a later tile
/// fetched, and works; on tensor cores with three tiles or more it works first. Plain copies are
/// asynchronous where the GPU has such; what else is fetched is loaded before the work and stored
/// behind it.
Stmt pipelineShared(const Stmt& s, const GpuFacts& gpu);

} // namespace nestwright
