#pragma once
/// \file In which order the blocks of a kernel work on the tiles of its result.

#include "core/lower/loop_ir.h"
#include "core/schedule/state.h"

namespace nestwright {

/// A loop over blocks that was fused from several: its last one runs over columns, the others over
/// rows. Gives the loop such that Stage::rasterRows rows of blocks, or as many fewer as divide
/// their number, run together, column by column, and so find in the L2 cache what they read in
/// common; the loop itself where there is but one row or column.
Stmt inRasterOrder(const Stmt& loop, const Stage& stage, const Iterator& blocks);

} // namespace nestwright
