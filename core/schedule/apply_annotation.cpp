/// \file Annotation, pragma and storage-align steps.

#include "core/schedule/step_applier.h"
#include "core/schedule/tensor_instruction.h"

#include <fmt/ranges.h>

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
  if (text.starts_with(kTensorInstructionPragma)) {
    const std::string_view name = text.substr(kTensorInstructionPragma.size());
    const TensorInstruction* instruction = nestwright::tensorInstruction(name);
    if (instruction == nullptr) {
      std::vector<std::string_view> known;
      for (const TensorInstruction& each : tensorInstructions())
        known.push_back(each.name);
      refuse("instruction \"{}\" is not known; there are {}", name, fmt::join(known, ", "));
    }
    state_.mutableStage(step.stage).tensorInstruction = instruction;
    return;
  }
  if (!text.starts_with(kUnroll))
    refuse("pragma \"{}\" is not known; \"auto_unroll_max_step$N\" is", step.pragma);
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + kUnroll.size(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value < 0)
    refuse("pragma \"{}\" should end in a number of steps", step.pragma);
  state_.mutableStage(step.stage).autoUnrollMaxStep = value;
}

void StepApplier::operator()(const StorageAlignStep& step) {
  const Stage& old = loopStage(step.stage);
  const Iterator& row = iterator(step.stage, step.iterator);
  if (row.loop >= static_cast<int>(old.op->axes.size()))
    refuse("loop {} of {} is no whole dimension of its buffer", row.name, old.name());
  if (!isRead(step.stage)) refuse("{} is an output, whose memory the caller lays out", old.name());
  if (step.factor < 1 || step.offset < 0)
    refuse("rows cannot be aligned to {} elements with offset {}", step.factor, step.offset);
  const int axis = row.loop;
  Stage& stage = state_.mutableStage(step.stage);
  stage.storageOffset = step.offset;
  std::erase_if(stage.alignments,
                [&](const StorageAlignment& earlier) { return earlier.axis == axis; });
  stage.alignments.push_back({axis, step.factor, step.offset});
}

} // namespace nestwright
