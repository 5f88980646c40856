#include "core/schedule/block_grid.h"

#include <algorithm>

namespace nestwright {

namespace {

/// Iterations of a loop that is the outermost part of a split axis, or a whole one; nothing for
/// others.
std::optional<std::int64_t> outermostTiles(const Stage& stage, int loop) {
  const auto extentOf = [&](int axis) -> std::optional<std::int64_t> {
    if (axis >= static_cast<int>(stage.op->axes.size())) return std::nullopt;
    return stage.op->axes[static_cast<std::size_t>(axis)].extent;
  };
  for (const LoopRelation& relation : stage.relations) {
    const auto* split = std::get_if<SplitRelation>(&relation);
    if (split == nullptr || split->parts.empty() || split->parts[0] != loop) continue;
    const std::optional<std::int64_t> whole = extentOf(split->parent);
    if (!whole || !split->innerToOuter) return std::nullopt;
    std::int64_t tile = 1;
    for (const TileSize& factor : split->factors)
      tile *= std::clamp<std::int64_t>(factor.value_or(1), 1, *whole);
    return (*whole + tile - 1) / tile;
  }
  return extentOf(loop);
}

} // namespace

BlockGrid blockGrid(const Stage& stage, const Iterator& blocks, std::int64_t count) {
  for (const LoopRelation& relation : stage.relations) {
    const auto* fuse = std::get_if<FuseRelation>(&relation);
    if (fuse == nullptr || fuse->fused != blocks.loop || fuse->parts.empty()) continue;
    const std::optional<std::int64_t> columns = outermostTiles(stage, fuse->parts.back());
    if (columns && *columns > 0 && count % *columns == 0) return {count / *columns, *columns};
  }
  return {count, 1};
}

} // namespace nestwright
