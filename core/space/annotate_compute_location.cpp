#include "core/space/annotate.h"
#include "core/space/compute_location.h"
#include "core/space/state_facts.h"
#include "core/support/error.h"

#include <fmt/ranges.h>

#include <algorithm>

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

std::string placeText(const State& state, const AttachPoint& point) {
  const Stage& stage = state.stage(point.stage);
  return fmt::format("{} of {}", stage.iterators[static_cast<std::size_t>(point.iterator)].name,
                     stage.name());
}

/// kInlined and kAtRoot, then the points: what a draw chooses from.
std::uint64_t numberOf(const std::string& place, const State& state, int id,
                       const std::vector<AttachPoint>& points) {
  std::vector<std::string> all{kInlined, kAtRoot};
  for (const AttachPoint& point : points)
    all.push_back(placeText(state, point));
  const auto found = std::ranges::find(all, place);
  if (found == all.end())
    throw IllegalSchedule(
        fmt::format("{} cannot be computed at \"{}\"; with these tiles there are {}",
                    state.stage(id).name(), place, fmt::join(all, ", ")));
  if (place == kInlined && hasReduceIterator(state.stage(id)))
    throw IllegalSchedule(fmt::format("{} reduces, and cannot be inlined", state.stage(id).name()));
  return static_cast<std::uint64_t>(found - all.begin());
}

} // namespace

bool isMovable(const State& state, const AccessAnalysis& analysis, int stage) {
  return hasLoops(state.stage(stage)) && !isTiled(state.stage(stage)) &&
         !analysis.needsMultiLevelTiling(stage) && !isCacheReadProduct(state, stage);
}

std::vector<std::string> placesOf(const State& state, const AccessAnalysis& analysis, int stage) {
  std::vector<std::string> places{kAtRoot};
  if (!hasReduceIterator(state.stage(stage)) &&
      state.stage(stage).location == ComputeLocation::Attached)
    places.emplace_back(kInlined);
  for (const AttachPoint& point : computeLocations(state, analysis, stage))
    places.push_back(placeText(state, point));
  return places;
}

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

void chooseComputeLocations(State& state, const AccessAnalysis& analysis, Random& random,
                            const ProgramChoices& choices) {
  for (int id = state.stageCount() - 1; id >= 0; --id) {
    const Stage& stage = state.stage(id);
    if (!isMovable(state, analysis, id)) continue;
    const std::vector<AttachPoint> points = computeLocations(state, analysis, id);
    const auto chosen = choices.places.find(stage.name());
    const std::uint64_t choice = chosen != choices.places.end()
                                     ? numberOf(chosen->second, state, id, points)
                                     : random.below(points.size() + 2);
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
