#include "core/template/schedule_builder.h"

#include "core/support/error.h"

#include <algorithm>
#include <numeric>

namespace nestwright {

ScheduleBuilder::ScheduleBuilder(ComputeDag dag) : state_(std::move(dag)) {
  ids_.resize(static_cast<std::size_t>(state_.stageCount()));
  std::iota(ids_.begin(), ids_.end(), 0);
}

ScheduleBuilder::Loop ScheduleBuilder::axis(Stage, int axis) const {
  return {axis};
}

ScheduleBuilder::Loop ScheduleBuilder::reduceAxis(Stage stage, int axis) const {
  return {axisCount(stage) + axis};
}

int ScheduleBuilder::axisCount(Stage stage) const {
  return static_cast<int>(stageOf(stage).op->axes.size());
}

int ScheduleBuilder::place(Stage stage, Loop loop) const {
  const std::vector<Iterator>& iterators = stageOf(stage).iterators;
  const auto found = std::ranges::find(iterators, loop.number, &Iterator::loop);
  NW_ASSERT(found != iterators.end(), "{} has no loop {}", stageOf(stage).name(), loop.number);
  return static_cast<int>(found - iterators.begin());
}

std::vector<ScheduleBuilder::Loop> ScheduleBuilder::split(Stage stage, Loop loop,
                                                          const std::vector<std::int64_t>& sizes) {
  return split(stage, loop, sizes, true);
}

std::vector<ScheduleBuilder::Loop>
ScheduleBuilder::splitIntoParts(Stage stage, Loop loop, const std::vector<std::int64_t>& counts) {
  return split(stage, loop, counts, false);
}

std::vector<ScheduleBuilder::Loop> ScheduleBuilder::split(Stage stage, Loop loop,
                                                          const std::vector<std::int64_t>& sizes,
                                                          bool innerToOuter) {
  const int at = place(stage, loop), first = stageOf(stage).loopCount;
  state_.apply(SplitStep{id(stage),
                         at,
                         stageOf(stage).iterators[static_cast<std::size_t>(at)].extent,
                         {sizes.begin(), sizes.end()},
                         innerToOuter});
  std::vector<Loop> parts;
  for (int part = 0; part <= static_cast<int>(sizes.size()); ++part)
    parts.push_back({first + part});
  return parts;
}

ScheduleBuilder::Loop ScheduleBuilder::fuse(Stage stage, const std::vector<Loop>& loops) {
  if (loops.size() == 1) return loops[0];
  std::vector<int> places;
  for (const Loop loop : loops)
    places.push_back(place(stage, loop));
  const int fused = stageOf(stage).loopCount;
  state_.apply(FuseStep{id(stage), std::move(places)});
  return {fused};
}

ScheduleBuilder::Loop ScheduleBuilder::fuseAll(Stage stage) {
  std::vector<Loop> loops;
  for (int axis = 0; axis < axisCount(stage); ++axis)
    loops.push_back(this->axis(stage, axis));
  return fuse(stage, loops);
}

void ScheduleBuilder::reorder(Stage stage, const std::vector<Loop>& loops) {
  std::vector<int> moved;
  for (const Loop loop : loops)
    moved.push_back(place(stage, loop));
  std::vector<int> places = moved;
  std::ranges::sort(places);
  std::vector<int> order(stageOf(stage).iterators.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i < moved.size(); ++i)
    order[static_cast<std::size_t>(places[i])] = moved[i];
  state_.apply(ReorderStep{id(stage), std::move(order)});
}

void ScheduleBuilder::annotate(Stage stage, Loop loop, Annotation annotation) {
  state_.apply(AnnotationStep{id(stage), place(stage, loop), annotation});
}

void ScheduleBuilder::pragma(Stage stage, Loop loop, Pragma pragma, std::int64_t number) {
  state_.apply(PragmaStep{id(stage), place(stage, loop), pragmaText(pragma, number)});
}

void ScheduleBuilder::computeAt(Stage stage, Stage target, Loop loop) {
  state_.apply(ComputeAtStep{id(stage), id(target), place(target, loop)});
}

void ScheduleBuilder::computeInline(Stage stage) {
  state_.apply(ComputeInlineStep{id(stage)});
}

ScheduleBuilder::Stage ScheduleBuilder::insertedAt(int at) {
  for (int& other : ids_)
    if (other >= at) ++other;
  ids_.push_back(at);
  return {ids_.size() - 1};
}

ScheduleBuilder::Stage ScheduleBuilder::cacheWrite(Stage stage, const char* scope) {
  state_.apply(CacheWriteStep{id(stage), scope});
  return insertedAt(id(stage));
}

ScheduleBuilder::Stage ScheduleBuilder::cacheRead(Stage stage, const char* scope, Stage reader) {
  state_.apply(CacheReadStep{id(stage), scope, {id(reader)}});
  return insertedAt(id(stage) + 1);
}

ScheduleBuilder::Stage ScheduleBuilder::rfactor(Stage stage, Loop loop, int position) {
  state_.apply(RfactorStep{id(stage), place(stage, loop), position});
  return insertedAt(id(stage));
}

} // namespace nestwright
