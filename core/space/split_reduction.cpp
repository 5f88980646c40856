#include "core/space/split_reduction.h"

namespace nestwright {

namespace {

/// The split that makes the parts: right before the step that gives them results of their own.
SplitStep* undecidedParts(Steps& steps) {
  for (std::size_t i = 1; i < steps.size(); ++i) {
    auto* split = std::get_if<SplitStep>(&steps[i - 1]);
    if (split != nullptr && std::holds_alternative<RfactorStep>(steps[i]) && !split->innerToOuter &&
        split->factors.size() == 1 && !split->factors[0])
      return split;
  }
  return nullptr;
}

} // namespace

std::vector<std::int64_t> partsOf(std::int64_t extent) {
  constexpr std::int64_t kMost = 16;
  std::vector<std::int64_t> parts;
  for (std::int64_t count = 2; count <= kMost && count < extent; ++count)
    if (extent % count == 0) parts.push_back(count);
  return parts;
}

Steps drawReductionParts(const State& sketch, Steps steps, Random& random) {
  SplitStep* const parts = undecidedParts(steps);
  if (parts == nullptr) return steps;
  parts->factors[0] = random.pick(partsOf(parts->extent.value()));
  // The sketch has the extents of one part.
  State state(sketch.originalDag());
  for (Step& step : steps) {
    auto* split = std::get_if<SplitStep>(&step);
    if (split != nullptr && split->extent) {
      const TileSize extent =
          state.stage(split->stage).iterators[static_cast<std::size_t>(split->iterator)].extent;
      if (extent && *extent != *split->extent) {
        if (*split->extent == 1) split->factors.assign(split->factors.size(), TileSize(1));
        split->extent = extent;
      }
    }
    state.apply(step);
  }
  return steps;
}

} // namespace nestwright
