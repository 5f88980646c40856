#include "core/space/tiling.h"

#include "core/space/state_facts.h"
#include "core/support/error.h"

#include <algorithm>

namespace nestwright {

namespace {

/// Loops by level, each given by the number of its node, which later splits do not change.
using Levels = std::vector<std::vector<int>>;

int positionOf(const State& state, int stage, int loop) {
  const std::vector<Iterator>& iterators = state.stage(stage).iterators;
  const auto found = std::find_if(iterators.begin(), iterators.end(),
                                  [&](const Iterator& iterator) { return iterator.loop == loop; });
  NW_ASSERT(found != iterators.end(), "{} has no loop {}", state.stage(stage).name(), loop);
  return static_cast<int>(found - iterators.begin());
}

void reorder(State& state, int stage, const std::vector<int>& loops) {
  ReorderStep step{stage, {}};
  for (const int loop : loops)
    step.order.push_back(positionOf(state, stage, loop));
  state.apply(step);
}

/// The loops that the split at `at` made, outermost first, are appended to the levels.
void takeParts(const State& state, int stage, int at, std::size_t count, Levels& levels) {
  for (std::size_t part = 0; part < count; ++part)
    levels[part].push_back(state.stage(stage).iterators[at + part].loop);
}

void putInFront(std::vector<int>& level, const std::vector<int>& loops) {
  level.insert(level.begin(), loops.begin(), loops.end());
}

} // namespace

std::vector<int> tileStage(State& state, int stage, std::string_view structure,
                           const std::vector<TileSize>& innermost) {
  const auto count = [&](char kind) {
    return static_cast<std::size_t>(std::count(structure.begin(), structure.end(), kind));
  };
  NW_ASSERT(count('S') + count('R') == structure.size(), "tiling structure {} has other levels",
            structure);
  Levels spatial(count('S')), reduction(count('R'));
  std::vector<int> wholeSpatial, wholeReduction, spatialSplits;
  const std::vector<Iterator> iterators = state.stage(stage).iterators;
  const std::vector<std::string>& whole = state.stage(stage).op->attributes.noSplitAtInner;
  for (const Iterator& iterator : iterators) {
    const bool isReduction = iterator.isReduction();
    if (isListed(whole, iterator.name)) {
      (isReduction ? wholeReduction : wholeSpatial).push_back(iterator.loop);
      continue;
    }
    Levels& levels = isReduction ? reduction : spatial;
    NW_ASSERT(!levels.empty(), "tiling structure {} has no level for loop {}", structure,
              iterator.name);
    const int at = positionOf(state, stage, iterator.loop);
    if (levels.size() > 1) {
      if (!isReduction) spatialSplits.push_back(static_cast<int>(state.steps().size()));
      std::vector<TileSize> factors(levels.size() - 1);
      if (!innermost.empty())
        factors.back() = innermost[static_cast<std::size_t>(&iterator - iterators.data())];
      state.apply(SplitStep{stage, at, iterator.extent, std::move(factors), true});
    }
    takeParts(state, stage, at, levels.size(), levels);
  }
  if (!wholeSpatial.empty()) putInFront(spatial.back(), wholeSpatial);
  if (!wholeReduction.empty()) putInFront(reduction.back(), wholeReduction);

  std::vector<int> order;
  std::size_t nextSpatial = 0, nextReduction = 0;
  for (const char level : structure) {
    const std::vector<int>& loops =
        level == 'S' ? spatial[nextSpatial++] : reduction[nextReduction++];
    order.insert(order.end(), loops.begin(), loops.end());
  }
  reorder(state, stage, order);
  return spatialSplits;
}

void followTiling(State& state, int consumer, const std::vector<int>& spatialSplits, int levels) {
  const std::vector<Iterator> iterators = state.stage(consumer).iterators;
  const std::vector<std::string>& whole = state.stage(consumer).op->attributes.noSplitAtInner;
  Levels parts(static_cast<std::size_t>(levels) + 1);
  std::vector<int> wholeLoops;
  std::size_t nextSplit = 0;
  for (const Iterator& iterator : iterators) {
    NW_ASSERT(!iterator.isReduction(), "consumer {} reduces", state.stage(consumer).name());
    if (isListed(whole, iterator.name)) {
      wholeLoops.push_back(iterator.loop);
      continue;
    }
    NW_ASSERT(nextSplit < spatialSplits.size(), "{} has more loops than its producer",
              state.stage(consumer).name());
    const int at = positionOf(state, consumer, iterator.loop);
    state.apply(FollowSplitStep{consumer, at, spatialSplits[nextSplit++], levels});
    takeParts(state, consumer, at, parts.size(), parts);
  }
  putInFront(parts.back(), wholeLoops);
  std::vector<int> order;
  for (const std::vector<int>& level : parts)
    order.insert(order.end(), level.begin(), level.end());
  reorder(state, consumer, order);
}

} // namespace nestwright
