#include "core/space/choices.h"

#include "core/space/annotate.h"
#include "core/space/compute_location.h"
#include "core/space/state_facts.h"

#include <algorithm>

namespace nestwright {

namespace {

/// Loops from the outermost, or the innermost, to the first that reduces.
int loopsThatDoNotReduce(const Stage& stage, bool fromOutside) {
  const auto reduces = [](const Iterator& iterator) { return iterator.isReduction(); };
  const auto& loops = stage.iterators;
  return static_cast<int>(fromOutside ? std::ranges::find_if(loops, reduces) - loops.begin()
                                      : std::find_if(loops.rbegin(), loops.rend(), reduces) -
                                            loops.rbegin());
}

} // namespace

std::vector<StageChoices> openChoices(const Sketch& sketch, const SpaceOptions& options) {
  const State& state = sketch.state;
  const AccessAnalysis analysis(state.dag());
  std::vector<StageChoices> all;
  for (int id = 0; id < state.stageCount(); ++id) {
    const Stage& stage = state.stage(id);
    if (!hasLoops(stage)) continue;
    StageChoices& of = all.emplace_back();
    of.stage = stage.name();
    if (hasReduceIterator(stage)) of.unroll = options.unrollSteps;
    if (options.target.gpu) continue;
    if (options.movesStages && isMovable(state, analysis, id))
      of.places = placesOf(state, analysis, id);
    if (stage.location == ComputeLocation::Root || !of.places.empty())
      of.parallel = loopsThatDoNotReduce(stage, true);
    of.vector = loopsThatDoNotReduce(stage, false);
  }
  return all;
}

} // namespace nestwright
