#include "core/space/annotate.h"
#include "core/space/kernel_decisions.h"

namespace nestwright {

State annotateKernels(const State& state, const Bounds& bounds, const SpaceOptions& options,
                      Random& random) {
  Steps steps = state.steps();
  for (const KernelDecision& decision : kernelDecisions(state, bounds, options))
    steps = withChoice(steps, decision, random.pick(decision.choices));
  return steps == state.steps() ? state : State::replay(state.originalDag(), steps);
}

} // namespace nestwright
