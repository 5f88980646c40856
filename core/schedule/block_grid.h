#pragma once
/// \file The tiles of a result that the blocks of a GPU's kernel work on, as rows and columns.

#include "core/schedule/state.h"

namespace nestwright {

struct BlockGrid {
  std::int64_t rows = 1, columns = 1;
};

/// Of `count` iterations of a loop that was fused from the outermost parts of tiles: its last part
/// runs over columns, all others together over rows. One column where the loop is no such.
BlockGrid blockGrid(const Stage& stage, const Iterator& blocks, std::int64_t count);

} // namespace nestwright
