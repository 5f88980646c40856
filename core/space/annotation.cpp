#include "core/space/annotation.h"

#include "core/schedule/bounds.h"
#include "core/space/annotate.h"
#include "core/support/error.h"

namespace nestwright {

namespace {

SampledProgram failed(int sketch, std::string reason) {
  return {std::nullopt, sketch, std::move(reason)};
}

} // namespace

SampledProgram sampleProgram(const std::vector<Sketch>& sketches, const SpaceOptions& options,
                             Random& random) {
  if (sketches.empty()) return failed(0, "the task has no sketch");
  const auto sketch = static_cast<int>(random.below(sketches.size()));
  const State& start = sketches[sketch].state;
  std::string failure;
  const std::optional<Steps> steps = fillTileSizes(start.steps(), options, random, failure);
  if (!steps) return failed(sketch, std::move(failure));
  try {
    State state = State::replay(start.originalDag(), *steps);
    chooseComputeLocations(state, AccessAnalysis(state.dag()), random);
    state = withBounds(state);
    annotateParallel(state, options);
    annotateUnroll(state, options, random);
    annotateVectorize(state, options, random);
    if (std::optional<std::string> reason = illegalReason(state, options))
      return failed(sketch, std::move(*reason));
    return {withBounds(state), sketch, {}};
  } catch (const IllegalSchedule& error) {
    return failed(sketch, error.what());
  }
}

} // namespace nestwright
