#include "core/space/annotate.h"
#include "core/space/state_facts.h"

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

} // namespace

void annotateParallel(State& state, const SpaceOptions& options) {
  for (int id = 0; id < state.stageCount(); ++id)
    if (hasLoops(state.stage(id)) && state.stage(id).location == ComputeLocation::Root)
      parallelizeFrom(state, id, 0, kIterationsPerCore * options.target.cores);
}

} // namespace nestwright
