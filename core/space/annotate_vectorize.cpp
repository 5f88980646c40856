#include "core/space/annotate.h"
#include "core/space/state_facts.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

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

void makeVector(State& state, int id, int loops) {
  const int first = static_cast<int>(state.stage(id).iterators.size()) - loops;
  if (loops > 1) {
    FuseStep fuse{id, std::vector<int>(static_cast<std::size_t>(loops))};
    std::iota(fuse.iterators.begin(), fuse.iterators.end(), first);
    state.apply(fuse);
  }
  if (state.stage(id).iterators[first].extent != TileSize(1))
    state.apply(AnnotationStep{id, first, Annotation::Vectorize});
}

/// Just so many inner loops.
void vectorizeLast(State& state, int id, int count, std::int64_t maxElements) {
  const Stage& stage = state.stage(id);
  const auto loops = static_cast<int>(stage.iterators.size());
  const auto refuse = [&](const std::string& why) {
    throw IllegalSchedule(fmt::format("{} of {} cannot be a vector: {}",
                                      quantity(count, "inner loop"), stage.name(), why));
  };
  if (count < 0 || count > loops) refuse("it has " + quantity(loops, "loop"));
  std::int64_t elements = 1;
  for (int i = loops - 1; i >= loops - count; --i) {
    const Iterator& iterator = stage.iterators[i];
    if (iterator.isReduction()) refuse(fmt::format("{} reduces", iterator.name));
    if (iterator.annotation != Annotation::None)
      refuse(fmt::format("{} is a {} loop", iterator.name, keyword(iterator.annotation)));
    if (!iterator.extent) refuse(fmt::format("nobody knows how long {} is", iterator.name));
    if (state.hasAttachedAt({id, i}))
      refuse(fmt::format("another stage is computed inside {}", iterator.name));
    if (*iterator.extent > maxElements / elements)
      refuse(fmt::format("they have more than {} elements", maxElements));
    elements *= *iterator.extent;
  }
  if (count > 0) makeVector(state, id, count);
}

} // namespace

void annotateVectorize(State& state, const SpaceOptions& options, Random& random,
                       const ProgramChoices& choices) {
  for (int id = 0; id < state.stageCount(); ++id) {
    if (!hasLoops(state.stage(id))) continue;
    if (const auto chosen = choices.vector.find(state.stage(id).name());
        chosen != choices.vector.end()) {
      vectorizeLast(state, id, chosen->second, options.maxVectorElements);
      continue;
    }
    Vectorizable found = vectorizable(state, id, options.maxVectorElements);
    if (found.loops == 0 || found.elements == 1) continue;
    // Never all of several: the public implementation's choice.
    if (found.loops > 1)
      found.loops = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(found.loops) - 1));
    makeVector(state, id, found.loops);
  }
}

} // namespace nestwright
