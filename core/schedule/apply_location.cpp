/// \file Steps that say where a stage is computed.

#include "core/schedule/step_applier.h"

#include <algorithm>

namespace nestwright {

void StepApplier::detach(int stage) {
  std::erase_if(state_.attachments_,
                [&](const State::Attachment& attachment) { return attachment.stage == stage; });
}

/// What a moved stage has to compute depends on its new place; bound inference will say.
void StepApplier::forgetExtents(Stage& stage) {
  for (Iterator& iterator : stage.iterators) {
    iterator.extent.reset();
    iterator.min = Expr();
  }
}

void StepApplier::operator()(const ComputeAtStep& step) {
  const Stage& producer = computeStage(step.stage);
  const Stage& target = loopStage(step.targetStage);
  iterator(step.targetStage, step.targetIterator);
  // Stages are in topological order, so this also keeps attachments free of cycles.
  if (step.targetStage <= step.stage)
    refuse("{} cannot be computed inside {}, which does not read it", producer.name(),
           target.name());
  detach(step.stage);
  state_.attachments_.push_back({step.stage, {step.targetStage, step.targetIterator}});
  Stage& stage = state_.mutableStage(step.stage);
  stage.location = ComputeLocation::Attached;
  forgetExtents(stage);
}

void StepApplier::operator()(const ComputeInlineStep& step) {
  const Stage& old = computeStage(step.stage);
  if (!old.op->reduceAxes.empty()) refuse("{} is a reduction and cannot be inlined", old.name());
  if (!isRead(step.stage)) refuse("{} is an output and cannot be inlined", old.name());
  const auto& attachments = state_.attachments_;
  const auto inside = std::find_if(
      attachments.begin(), attachments.end(),
      [&](const State::Attachment& attachment) { return attachment.point.stage == step.stage; });
  if (inside != attachments.end())
    refuse("{} is computed inside {}, which would lose its loops",
           state_.stage(inside->stage).name(), old.name());
  detach(step.stage);
  state_.mutableStage(step.stage).location = ComputeLocation::Inlined;
}

void StepApplier::operator()(const ComputeRootStep& step) {
  computeStage(step.stage);
  detach(step.stage);
  Stage& stage = state_.mutableStage(step.stage);
  stage.location = ComputeLocation::Root;
  forgetExtents(stage);
}

} // namespace nestwright
