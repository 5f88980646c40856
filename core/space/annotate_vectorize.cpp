#include "core/space/annotate.h"
#include "core/space/state_facts.h"

#include <numeric>

namespace nestwright {

namespace {

/// How many innermost loops could become one vector, and the elements that they have together.
struct Vectorizable {
  int loops = 0;
  std::int64_t elements = 1;
};

Vectorizable vectorizable(const State& state, int id, std::int64_t maxElements) {
  const std::vector<Iterator>& iterators = state.stage(id).iterators;
  // Behind the innermost loop of a tile, memory is no longer contiguous.
  const int most = isTiled(state.stage(id)) ? 1 : static_cast<int>(iterators.size());
  Vectorizable result;
  for (int i = static_cast<int>(iterators.size()) - 1; i >= 0 && result.loops < most; --i) {
    const Iterator& iterator = iterators[i];
    if (iterator.isReduction() || iterator.annotation != Annotation::None || !iterator.extent ||
        state.hasAttachedAt({id, i}))
      break;
    if (result.elements * *iterator.extent > maxElements) break;
    result.elements *= *iterator.extent;
    ++result.loops;
  }
  return result;
}

} // namespace

void annotateVectorize(State& state, const SpaceOptions& options, Random& random) {
  for (int id = 0; id < state.stageCount(); ++id) {
    if (!hasLoops(state.stage(id))) continue;
    Vectorizable found = vectorizable(state, id, options.maxVectorElements);
    if (found.loops == 0 || found.elements == 1) continue;
    // Never all of several: the public implementation's choice.
    if (found.loops > 1)
      found.loops = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(found.loops) - 1));
    const int first = static_cast<int>(state.stage(id).iterators.size()) - found.loops;
    if (found.loops > 1) {
      FuseStep fuse{id, std::vector<int>(static_cast<std::size_t>(found.loops))};
      std::iota(fuse.iterators.begin(), fuse.iterators.end(), first);
      state.apply(fuse);
    }
    if (state.stage(id).iterators[first].extent != TileSize(1))
      state.apply(AnnotationStep{id, first, Annotation::Vectorize});
  }
}

} // namespace nestwright
