#include "core/space/annotate.h"
#include "core/space/compute_location.h"
#include "core/space/state_facts.h"

namespace nestwright {

namespace {

/// No stage can be computed inside a vector, and one inside an unrolled loop would be copied.
bool isClosed(const Iterator& iterator) {
  return iterator.annotation == Annotation::Unroll || iterator.annotation == Annotation::Vectorize;
}

/// Loops of the consumer itself.
void addConsumerLoops(const State& state, int consumer, std::vector<AttachPoint>& points) {
  const Stage& stage = state.stage(consumer);
  const bool isAttached = state.attachPoint(consumer).has_value();
  bool seenReduction = false;
  for (int i = 0; i < static_cast<int>(stage.iterators.size()); ++i) {
    const Iterator& iterator = stage.iterators[i];
    if (iterator.kind == IteratorKind::Reduction) {
      seenReduction = true;
      // Every iteration of an untiled reduction would compute the stage again.
      if (!isTiled(stage)) return;
    } else if (iterator.kind == IteratorKind::Spatial && seenReduction) {
      return;
    }
    if (isClosed(iterator)) return;
    if (iterator.extent == TileSize(1)) continue;
    // The outermost tiles of an attached stage are trivial there.
    if (isAttached && iterator.kind == IteratorKind::Spatial && iterator.name.ends_with(".0"))
      continue;
    points.push_back({consumer, i});
    if (state.hasAttachedAt({consumer, i})) return;
  }
}

/// Loops of the stage that the consumer is computed in.
void addEnclosingLoops(const State& state, int enclosing, std::vector<AttachPoint>& points) {
  const Stage& stage = state.stage(enclosing);
  for (int i = 0; i < static_cast<int>(stage.iterators.size()); ++i) {
    const Iterator& iterator = stage.iterators[i];
    if (iterator.kind == IteratorKind::Reduction || state.hasAttachedAt({enclosing, i})) return;
    if (isClosed(iterator)) return;
    if (iterator.extent != TileSize(1)) points.push_back({enclosing, i});
  }
}

} // namespace

std::vector<AttachPoint> computeLocations(const State& state, const AccessAnalysis& analysis,
                                          int stage) {
  std::vector<AttachPoint> points;
  const std::optional<int> consumer = singleConsumer(state, analysis, stage);
  if (!consumer) return points;
  addConsumerLoops(state, *consumer, points);
  if (const std::optional<AttachPoint> enclosing = state.attachPoint(*consumer))
    addEnclosingLoops(state, enclosing->stage, points);
  return points;
}

void chooseComputeLocations(State& state, const AccessAnalysis& analysis, Random& random) {
  for (int id = state.stageCount() - 1; id >= 0; --id) {
    const Stage& stage = state.stage(id);
    if (!hasLoops(stage) || isTiled(stage) || analysis.needsMultiLevelTiling(id) ||
        isCacheReadProduct(state, id))
      continue;
    const std::vector<AttachPoint> points = computeLocations(state, analysis, id);
    const std::uint64_t choice = random.below(points.size() + 2);
    if (choice == 0) {
      if (!hasReduceIterator(stage) && stage.location == ComputeLocation::Attached)
        state.apply(ComputeInlineStep{id});
    } else if (choice == 1) {
      // A stage at root stays as it is: a step that changes nothing would make a second program of
      // the same loops.
      if (stage.location != ComputeLocation::Root) state.apply(ComputeRootStep{id});
    } else {
      const AttachPoint& point = points[choice - 2];
      state.apply(ComputeAtStep{id, point.stage, point.iterator});
    }
  }
}

} // namespace nestwright
