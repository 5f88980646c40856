#include "core/schedule/pipeline.h"

#include <algorithm>

namespace nestwright {

namespace {

/// The last loop before `end` that fetches something, or -1.
int fetchLoopBefore(const State& state, int stage, int end) {
  for (int i = end; i-- > 0;)
    for (const int attached : state.attachedAt({stage, i}))
      if (state.stage(attached).scope == StorageScope::Shared) return i;
  return -1;
}

} // namespace

int innermostFetchLoop(const State& state, int stage) {
  return fetchLoopBefore(state, stage, static_cast<int>(state.stage(stage).iterators.size()));
}

int outermostTileLoop(const State& state, int stage) {
  return fetchLoopBefore(state, stage, innermostFetchLoop(state, stage)) + 1;
}

std::int64_t fetchedTiles(const State& state, const Bounds& bounds, int stage) {
  const std::vector<Iterator>& loops = state.stage(stage).iterators;
  std::int64_t tiles = 1;
  const int outermost = outermostTileLoop(state, stage);
  for (int i = innermostFetchLoop(state, stage); i >= outermost; --i) {
    const auto loop = static_cast<std::size_t>(i);
    if (loops[loop].kind == IteratorKind::Reduction && loops[loop].annotation == Annotation::None)
      tiles *= bounds.stages[static_cast<std::size_t>(stage)].extents[loop];
  }
  return tiles;
}

std::int64_t tilesAtOnce(const State& state, const Bounds& bounds, int stage) {
  return std::min<std::int64_t>(state.stage(stage).pipelineStages,
                                fetchedTiles(state, bounds, stage));
}

} // namespace nestwright
