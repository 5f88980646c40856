/// \file Annotation, pragma and storage-align steps.

#include "core/schedule/pragma.h"
#include "core/schedule/step_applier.h"
#include "core/schedule/tensor_instruction.h"
#include "core/support/quantity.h"

#include <fmt/ranges.h>

namespace nestwright {

void StepApplier::operator()(const AnnotationStep& step) {
  loopStage(step.stage);
  plainIterator(step.stage, step.iterator);
  state_.mutableStage(step.stage).iterators[step.iterator].annotation = step.annotation;
}

void StepApplier::operator()(const PragmaStep& step) {
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
  const PragmaKind* const kind = pragmaKindOf(step.pragma);
  if (kind == nullptr) {
    std::vector<std::string> known;
    for (const PragmaKind& other : pragmaKinds())
      known.push_back(fmt::format("\"{}N\"", other.head));
    refuse("pragma \"{}\" is not known; these are: {}", step.pragma, fmt::join(known, ", "));
  }
  const std::optional<std::int64_t> number = pragmaNumber(*kind, step.pragma);
  if (!number && kind->pragma == Pragma::AutoUnroll)
    refuse("pragma \"{}\" should end in a number of steps", step.pragma);
  if (!number)
    refuse("pragma \"{}\" should end in a number from {} to {}", step.pragma, kind->least,
           kind->most);
  Stage& stage = state_.mutableStage(step.stage);
  switch (kind->pragma) {
  case Pragma::AutoUnroll:
    stage.autoUnrollMaxStep = *number;
    break;
  case Pragma::PipelineStages:
    stage.pipelineStages = static_cast<int>(*number);
    break;
  case Pragma::RasterRows:
    stage.rasterRows = static_cast<int>(*number);
    break;
  case Pragma::MinBlocks:
    stage.minBlocks = static_cast<int>(*number);
    break;
  case Pragma::UnrollExplicit: // of the program: unrollsExplicitly()
    break;
  }
}

void StepApplier::operator()(const StorageAlignStep& step) {
  const Stage& old = loopStage(step.stage);
  const Iterator& row = iterator(step.stage, step.iterator);
  if (row.loop >= static_cast<int>(old.op->axes.size()))
    refuse("loop {} of {} is no whole dimension of its buffer", row.name, old.name());
  if (!isRead(step.stage)) refuse("{} is an output, whose memory the caller lays out", old.name());
  if (step.factor < 1 || step.offset < 0)
    refuse("rows cannot be aligned to {} with offset {}", quantity(step.factor, "element"),
           step.offset);
  const int axis = row.loop;
  Stage& stage = state_.mutableStage(step.stage);
  stage.storageOffset = step.offset;
  std::erase_if(stage.alignments,
                [&](const StorageAlignment& earlier) { return earlier.axis == axis; });
  stage.alignments.push_back({axis, step.factor, step.offset});
}

} // namespace nestwright
