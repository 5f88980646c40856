#include "core/search/decisions/decision_moves.h"
#include "core/search/mutation.h"
#include "core/space/compute_location.h"
#include "core/space/state_facts.h"
#include "core/support/error.h"

namespace nestwright {

// The loops as they are numbered where the step stands, and as annotation saw them. The public
// implementation takes numbers from the finished program, where loops were joined since: the same
// number then means another loop.
std::vector<AttachPoint> attachPoints(const State& parent, std::size_t step,
                                      const SpaceOptions& options) {
  if (!options.movesStages) return {};
  const Steps& steps = parent.steps();
  const int stage = std::get<ComputeAtStep>(steps[step]).stage;
  const State before =
      State::replay(parent.originalDag(),
                    Steps(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(step)));
  const AccessAnalysis analysis(before.dag());
  // Tiled stages and panels are where their sketch put them.
  if (isTiled(before.stage(stage)) || analysis.needsMultiLevelTiling(stage) ||
      isCacheReadProduct(before, stage))
    return {};
  return computeLocations(before, analysis, stage);
}

std::optional<State> mutateComputeLocation(const State& parent, const SpaceOptions& options,
                                           Random& random) {
  if (!options.movesStages) return std::nullopt;
  const Steps& steps = parent.steps();
  std::vector<std::size_t> eligible;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (std::holds_alternative<ComputeAtStep>(steps[i])) eligible.push_back(i);
  if (eligible.empty()) return std::nullopt;
  const std::size_t chosen = random.pick(eligible);
  try {
    const std::vector<AttachPoint> points = attachPoints(parent, chosen, options);
    if (points.empty()) return std::nullopt;
    const AttachPoint point = random.pick(points);
    Steps changed = steps;
    changed[chosen] =
        ComputeAtStep{std::get<ComputeAtStep>(steps[chosen]).stage, point.stage, point.iterator};
    if (changed[chosen] == steps[chosen]) return std::nullopt;
    return legalProgram(parent.originalDag(), changed, options);
  } catch (const IllegalSchedule&) {
    return std::nullopt;
  }
}

} // namespace nestwright
