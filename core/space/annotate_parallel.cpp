#include "core/space/annotate.h"
#include "core/space/state_facts.h"
#include "core/support/error.h"
#include "core/support/quantity.h"

#include <numeric>

namespace nestwright {

namespace {

/// Fuses the loops of the stage from `from` on as far as they can run in parallel, and marks them.
void parallelizeFrom(State& state, int id, int from, std::int64_t enough) {
  const std::vector<Iterator>& iterators = state.stage(id).iterators;
  const int count = static_cast<int>(iterators.size());
  FuseStep fuse{id, {}};
  std::int64_t degree = 1;
  std::optional<int> attachedAt;
  for (int i = from; i < count; ++i) {
    const Iterator& iterator = iterators[i];
    if (iterator.isReduction() || iterator.annotation != Annotation::None) break;
    fuse.iterators.push_back(i);
    degree *= iterator.extent.value_or(1);
    if (degree > enough) break;
    if (state.hasAttachedAt({id, i})) {
      attachedAt = i;
      break;
    }
  }
  if (fuse.iterators.empty()) return;
  if (degree == 1) {
    // One iteration cannot be shared out: the stages inside and the loops behind may.
    if (!attachedAt) return;
    for (const int attached : state.attachedAt({id, *attachedAt}))
      parallelizeFrom(state, attached, 0, enough);
    return parallelizeFrom(state, id, *attachedAt + 1, enough);
  }
  if (fuse.iterators.size() > 1) state.apply(fuse);
  state.apply(AnnotationStep{id, from, Annotation::Parallel});
}

/// Joins just so many outer loops.
void parallelizeFirst(State& state, int id, int count) {
  if (count == 0) return;
  const Stage& stage = state.stage(id);
  int most = 0;
  for (const Iterator& iterator : stage.iterators) {
    if (iterator.isReduction() || iterator.annotation != Annotation::None ||
        (most > 0 && state.hasAttachedAt({id, most - 1})))
      break;
    ++most;
  }
  if (count < 0 || count > most)
    throw IllegalSchedule(fmt::format("{} of {} cannot be one parallel loop: {} can be joined",
                                      quantity(count, "loop"), stage.name(),
                                      quantity(most, "outer loop")));
  if (count > 1) {
    FuseStep fuse{id, std::vector<int>(static_cast<std::size_t>(count))};
    std::iota(fuse.iterators.begin(), fuse.iterators.end(), 0);
    state.apply(fuse);
  }
  state.apply(AnnotationStep{id, 0, Annotation::Parallel});
}

} // namespace

void annotateParallel(State& state, const SpaceOptions& options, const ProgramChoices& choices) {
  for (int id = 0; id < state.stageCount(); ++id) {
    const Stage& stage = state.stage(id);
    if (!hasLoops(stage) || stage.location != ComputeLocation::Root) continue;
    if (const auto chosen = choices.parallel.find(stage.name()); chosen != choices.parallel.end())
      parallelizeFirst(state, id, chosen->second);
    else
      parallelizeFrom(state, id, 0, kIterationsPerCore * options.target.cores);
  }
}

} // namespace nestwright
