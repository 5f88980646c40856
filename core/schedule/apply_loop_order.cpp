/// \file Fuse and reorder steps.

#include "core/schedule/step_applier.h"
#include "core/support/quantity.h"

namespace nestwright {

namespace {

/// The loop that stands for loops `first` .. `last`; its extent is not known here.
Iterator fusedIterator(const std::vector<Iterator>& iterators, int first, int last, int loop) {
  Iterator fused;
  fused.kind = iterators[first].kind;
  fused.loop = loop;
  std::size_t length = 0;
  for (int i = first; i <= last; ++i)
    length += iterators[i].name.size() + 1;
  fused.name.reserve(length);
  for (int i = first; i <= last; ++i) {
    fused.name += iterators[i].name;
    fused.name += '@';
    if (iterators[i].kind != fused.kind) fused.kind = IteratorKind::Mixed;
  }
  return fused;
}

} // namespace

void StepApplier::operator()(const FuseStep& step) {
  loopStage(step.stage);
  if (step.iterators.empty()) {
    Stage& stage = state_.mutableStage(step.stage);
    stage.relations.emplace_back(FuseRelation{{}, stage.loopCount});
    stage.iterators.insert(stage.iterators.begin(), {"", IteratorKind::Special, Annotation::None, 1,
                                                     Expr(), stage.loopCount++});
    moveAttachments(step.stage, 0, -1, 0, 1);
    return;
  }
  const int first = step.iterators.front();
  const int last = step.iterators.back();
  TileSize extent = 1;
  for (std::size_t i = 0; i < step.iterators.size(); ++i) {
    const int id = step.iterators[i];
    const Iterator& part = plainIterator(step.stage, id);
    if (id != first + static_cast<int>(i)) refuse("the loops to fuse are not consecutive");
    if (id != last && state_.hasAttachedAt({step.stage, id}))
      refuse("a stage is computed inside loop {} of {}, which is not the innermost fused one",
             part.name, state_.stage(step.stage).name());
    extent = extent && part.extent ? TileSize(product(*extent, *part.extent)) : TileSize();
  }
  Stage& stage = state_.mutableStage(step.stage);
  FuseRelation relation{{}, stage.loopCount};
  for (int i = first; i <= last; ++i)
    relation.parts.push_back(stage.iterators[i].loop);
  Iterator fused = fusedIterator(stage.iterators, first, last, stage.loopCount++);
  fused.extent = extent;
  stage.iterators[first] = std::move(fused);
  stage.iterators.erase(stage.iterators.begin() + first + 1, stage.iterators.begin() + last + 1);
  stage.relations.emplace_back(std::move(relation));
  moveAttachments(step.stage, first, last, first, first - last);
}

void StepApplier::operator()(const ReorderStep& step) {
  const Stage& old = loopStage(step.stage);
  const std::size_t count = old.iterators.size();
  std::vector<bool> seen(count, false);
  for (const int id : step.order) {
    if (id < 0 || id >= static_cast<int>(count) || seen[id])
      refuse("the new order is no permutation of the {} of {}",
             quantity(std::int64_t(count), "loop"), old.name());
    seen[id] = true;
  }
  if (step.order.size() != count)
    refuse("the new order names {} of the {} of {}", step.order.size(),
           quantity(std::int64_t(count), "loop"), old.name());
  Stage& stage = state_.mutableStage(step.stage);
  std::vector<Iterator> reordered;
  reordered.reserve(count);
  for (const int id : step.order)
    reordered.push_back(std::move(stage.iterators[id]));
  stage.iterators = std::move(reordered);
}

} // namespace nestwright
