#include "core/lower/find_step.h"

namespace nestwright {
namespace {

/// The last step on the stage for which `matches` holds. Replays, because later steps change the
/// numbers of stages.
template <class Predicate>
int lastStep(const State& state, const std::string& stage, Predicate matches) {
  State replayed(state.originalDag());
  int found = -1;
  for (std::size_t i = 0; i < state.steps().size(); ++i) {
    const Step& step = state.steps()[i];
    if (matches(step) && replayed.stage(stageOf(step)).name() == stage) found = static_cast<int>(i);
    replayed.apply(step);
  }
  return found;
}

} // namespace

int findAnnotation(const State& state, const std::string& stage, Annotation annotation) {
  return lastStep(state, stage, [&](const Step& step) {
    const auto* annotate = std::get_if<AnnotationStep>(&step);
    return annotate != nullptr && annotate->annotation == annotation;
  });
}

int findPlacement(const State& state, const std::string& stage) {
  return lastStep(state, stage, [](const Step& step) {
    return std::holds_alternative<ComputeAtStep>(step) ||
           std::holds_alternative<ComputeInlineStep>(step);
  });
}

} // namespace nestwright
