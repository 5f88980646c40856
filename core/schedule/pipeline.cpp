#include "core/schedule/pipeline.h"

#include <algorithm>

namespace nestwright {

int innermostFetchLoop(const State& state, int stage) {
  for (int i = static_cast<int>(state.stage(stage).iterators.size()); i-- > 0;)
    for (const int attached : state.attachedAt({stage, i}))
      if (state.stage(attached).scope == StorageScope::Shared) return i;
  return -1;
}

std::int64_t fetchedTiles(const State& state, const Bounds& bounds, int stage) {
  const std::vector<Iterator>& loops = state.stage(stage).iterators;
  std::int64_t tiles = 1;
  for (int i = innermostFetchLoop(state, stage); i >= 0; --i) {
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
