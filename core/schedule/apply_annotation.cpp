/// \file Annotation and pragma steps.

#include "core/schedule/step_applier.h"

#include <charconv>

namespace nestwright {

void StepApplier::operator()(const AnnotationStep& step) {
  loopStage(step.stage);
  plainIterator(step.stage, step.iterator);
  state_.mutableStage(step.stage).iterators[step.iterator].annotation = step.annotation;
}

void StepApplier::operator()(const PragmaStep& step) {
  constexpr std::string_view kUnroll = "auto_unroll_max_step$";
  loopStage(step.stage);
  iterator(step.stage, step.iterator);
  const std::string_view text = step.pragma;
  if (!text.starts_with(kUnroll))
    refuse("pragma \"{}\" is not known; \"auto_unroll_max_step$N\" is", step.pragma);
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + kUnroll.size(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value < 0)
    refuse("pragma \"{}\" should end in a number of steps", step.pragma);
  state_.mutableStage(step.stage).autoUnrollMaxStep = value;
}

} // namespace nestwright
