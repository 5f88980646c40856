#include "core/schedule/bounds.h"

#include "core/schedule/loop_graph.h"
#include "core/schedule/stage_reads.h"
#include "core/support/error.h"

#include <algorithm>

namespace nestwright {

namespace {

using Variables = std::vector<const VarNode*>;

/// Memory of a block is filled by all of its threads together, so what it needs does not depend on
/// the thread.
bool isOfBlocksThreads(const Iterator& iterator) {
  return iterator.annotation == Annotation::VThread || threadAxis(iterator.annotation);
}

bool isSharedByThreads(const Stage& stage) {
  return stage.scope == StorageScope::Shared;
}

/// What inference knows of a stage that it has finished.
struct PlacedStage {
  std::optional<LoopGraph> graph;
  std::vector<Interval> region;   // of each axis
  std::vector<Affine> leafValues; // loop variables; 0 for loops of extent 1
};

class BoundInference {
 public:
  explicit BoundInference(const State& state)
      : state_(state), reads_(state), placed_(state.stageCount()) {}

  Bounds run() {
    Bounds bounds;
    bounds.stages.resize(state_.stageCount());
    for (int id = state_.stageCount() - 1; id >= 0; --id) {
      const Stage& stage = state_.stage(id);
      if (stage.isPlaceholder() || stage.location == ComputeLocation::Inlined) continue;
      if (reads_.expanded(id) > kMostExpandedReads)
        throw IllegalSchedule(
            fmt::format("{} would read more than {} values for one of its elements, so much is "
                        "inlined into it; compute one of the stages in between at root",
                        stage.name(), kMostExpandedReads));
      place(id, neededRegion(id));
      bounds.stages[id] = describe(id);
    }
    return bounds;
  }

 private:
  /// Loop variables of the loops around the stage, and which loop of `target` is the innermost of
  /// them. At root there are none.
  struct Place {
    std::optional<AttachPoint> point;
    Variables enclosing;
    bool sharedByThreads = false;
  };

  /// Whether a loop around the place has one value while the stage there is computed.
  static bool standsStill(const Place& place, const Iterator& iterator) {
    return !place.sharedByThreads || !isOfBlocksThreads(iterator);
  }

  Place placeOf(int id) const {
    Place place{state_.attachPoint(id), {}, isSharedByThreads(state_.stage(id))};
    for (auto point = place.point; point; point = state_.attachPoint(point->stage)) {
      const PlacedStage& target = placed_[point->stage];
      for (int i = 0; i <= point->iterator; ++i)
        if (standsStill(place, state_.stage(point->stage).iterators[i]))
          for (const Term& term : target.leafValues[i].terms)
            place.enclosing.push_back(term.atom->var.get());
    }
    return place;
  }

  std::vector<Interval> neededRegion(int id) const {
    const OpNode& op = *state_.stage(id).op;
    const Place place = placeOf(id);
    std::vector<Interval> region;
    bool isRead = false;
    for (int consumer = id + 1; consumer < state_.stageCount(); ++consumer) {
      const bool ownNest = state_.stage(consumer).location != ComputeLocation::Inlined;
      if (!ownNest || !reads_.reaches(consumer, id)) continue;
      requireInside(id, place, consumer);
      isRead = true;
      addReads(consumer, id, axisIntervals(consumer, place), region);
    }
    if (!isRead && place.point) refuse(id, "nothing reads it");
    if (!isRead) region.assign(op.axes.size(), unknownInterval());
    for (std::size_t d = 0; d < region.size(); ++d)
      clip(region[d], op.axes[d].extent);
    return region;
  }

  /// A stage inside a loop must have all its readers inside that loop.
  void requireInside(int id, const Place& place, int consumer) const {
    if (!place.point) return;
    std::optional<AttachPoint> at = AttachPoint{consumer, place.point->iterator};
    while (at && at->stage != place.point->stage)
      at = state_.attachPoint(at->stage);
    if (!at || at->iterator < place.point->iterator)
      refuse(id, "{} reads it outside that loop", state_.stage(consumer).name());
  }

  template <class... Args>
  [[noreturn]] void refuse(int id, fmt::format_string<Args...> why, Args&&... args) const {
    const std::optional<AttachPoint> point = state_.attachPoint(id);
    const Stage& target = state_.stage(point->stage);
    throw IllegalSchedule(fmt::format("{} cannot be computed inside loop {} of {}: {}",
                                      state_.stage(id).name(),
                                      target.iterators[point->iterator].name, target.name(),
                                      fmt::format(why, std::forward<Args>(args)...)));
  }

  /// Values of the consumer's axes while the enclosing loops of a place stand still.
  Environment axisIntervals(int consumer, const Place& place) const {
    const PlacedStage& stage = placed_[consumer];
    std::vector<Interval> region;
    const bool isTarget = place.point && place.point->stage == consumer;
    if (isTarget) {
      std::vector<Interval> leaves;
      leaves.reserve(stage.leafValues.size());
      for (std::size_t i = 0; i < stage.leafValues.size(); ++i) {
        if (static_cast<int>(i) <= place.point->iterator &&
            standsStill(place, state_.stage(consumer).iterators[i]))
          leaves.push_back({stage.leafValues[i], 1});
        else
          leaves.push_back({0, stage.graph->extent(stage.graph->leaf(i))});
      }
      region = stage.graph->passUp(leaves);
    }
    Environment environment;
    const auto append = [&](const std::vector<Axis>& axes) {
      for (const Axis& axis : axes) {
        const std::size_t i = environment.size();
        Interval interval = relaxed(stage.region[i], place.enclosing);
        if (isTarget) {
          add(interval.min, region[i].min);
          interval.extent += region[i].extent - stage.region[i].extent;
        }
        environment.emplace_back(axis.var.get(), std::move(interval));
      }
    };
    append(state_.stage(consumer).op->axes);
    append(state_.stage(consumer).op->reduceAxes);
    return environment;
  }

  /// Extends the region by what the reader's body, with inlined stages in it, reads of `wanted`.
  void addReads(int reader, int wanted, const Environment& environment,
                std::vector<Interval>& region) const {
    for (const StageRead& read : reads_.of(reader)) {
      const bool direct = read.producer == wanted;
      const bool through = state_.stage(read.producer).location == ComputeLocation::Inlined &&
                           reads_.reaches(read.producer, wanted);
      if (!direct && !through) continue;
      const OpNode& producer = *state_.stage(read.producer).op;
      std::vector<Interval> indices;
      for (const Expr& index : read.load->operands)
        indices.push_back(evaluate(index, environment));
      if (direct) {
        if (region.empty())
          region = std::move(indices);
        else
          for (std::size_t d = 0; d < region.size(); ++d)
            region[d] = hull(region[d], indices[d]);
      } else {
        Environment inlined;
        for (std::size_t d = 0; d < indices.size(); ++d) {
          clip(indices[d], producer.axes[d].extent);
          inlined.emplace_back(producer.axes[d].var.get(), std::move(indices[d]));
        }
        addReads(read.producer, wanted, inlined, region);
      }
    }
  }

  /// No more than the tensor has. A region that moves with enclosing loops keeps its size.
  static void clip(Interval& interval, std::int64_t size) {
    if (interval.extent >= size) {
      interval = {0, size};
    } else if (interval.min.isConstant()) {
      const std::int64_t first = std::max<std::int64_t>(interval.min.constant, 0);
      const std::int64_t end = std::min(interval.min.constant + interval.extent, size);
      interval = {std::min(first, size - 1), std::max<std::int64_t>(end - first, 1)};
    }
  }

  void place(int id, std::vector<Interval> region) {
    const Stage& stage = state_.stage(id);
    PlacedStage& placed = placed_[id];
    for (const Axis& axis : stage.op->reduceAxes)
      region.push_back({0, axis.extent});
    placed.region = std::move(region);
    std::vector<std::int64_t> extents;
    for (Interval& interval : placed.region) {
      interval.min = recombined(std::move(interval.min));
      extents.push_back(interval.extent);
    }
    placed.graph.emplace(stage);
    placed.graph->setAxisExtents(extents);
    for (std::size_t i = 0; i < placed.graph->leafCount(); ++i) {
      const int leaf = placed.graph->leaf(i);
      const std::int64_t extent = placed.graph->extent(leaf);
      variables_.push_back(makeVar(placed.graph->name(leaf)));
      placed.leafValues.push_back(
          extent == 1 ? Affine(0) : Affine(Expr(variables_.back()), IntRange{0, extent - 1}));
    }
  }

  StageBounds describe(int id) const {
    const Stage& stage = state_.stage(id);
    const PlacedStage& placed = placed_[id];
    const LoopGraph& graph = *placed.graph;
    StageBounds bounds;
    std::vector<Interval> leaves;
    for (std::size_t i = 0; i < graph.leafCount(); ++i) {
      bounds.extents.push_back(graph.extent(graph.leaf(i)));
      bounds.loopVars.push_back(variables_[variables_.size() - graph.leafCount() + i]);
      leaves.push_back({placed.leafValues[i], 1});
    }
    const std::vector<Interval> values = graph.passUp(leaves);
    for (const int node : graph.overflowingNodes())
      bounds.guards.push_back(toExpr(values[node].min) < intImm(graph.extent(node)));
    for (int axis = 0; axis < graph.axisCount(); ++axis) {
      const Interval& region = placed.region[axis];
      Affine value = region.min;
      add(value, values[axis].min);
      bounds.axes.push_back({toExpr(region.min), region.extent});
      bounds.axisValues.push_back(toExpr(value));
      const auto spatial = static_cast<std::size_t>(axis);
      if (spatial < stage.op->axes.size())
        guardShape(region, bounds.axisValues.back(), stage.op->axes[spatial].extent, bounds.guards);
    }
    return bounds;
  }

  /// A region that moves with enclosing loops may stick out of the tensor.
  static void guardShape(const Interval& region, const Expr& value, std::int64_t size,
                         std::vector<Expr>& guards) {
    const IntRange range = rangeOf(region.min);
    if (range.low < 0) guards.push_back(value >= intImm(0));
    if (addBounds(range.high, region.extent) > size) guards.push_back(value < intImm(size));
  }

  const State& state_;
  StageReads reads_;
  std::vector<PlacedStage> placed_;
  std::vector<Var> variables_;
};

} // namespace

Bounds inferBounds(const State& state) {
  if (!state.isConcrete())
    throw IllegalSchedule("some tile sizes are still undecided, so no loop has an extent");
  return BoundInference(state).run();
}

State withBounds(const State& state) {
  return withBounds(state, inferBounds(state));
}

State withBounds(const State& state, const Bounds& bounds) {
  std::vector<std::vector<std::pair<Expr, TileSize>>> ranges(state.stageCount());
  for (int id = 0; id < state.stageCount(); ++id) {
    const Stage& stage = state.stage(id);
    const StageBounds& known = bounds.stages[id];
    for (std::size_t i = 0; i < known.extents.size(); ++i) {
      // A loop that still is a whole axis runs from the region's start.
      const auto loop = static_cast<std::size_t>(stage.iterators[i].loop);
      const bool isAxis = loop < known.axes.size() && !isConst(known.axes[loop].min, 0);
      ranges[id].emplace_back(isAxis ? known.axes[loop].min : Expr(), known.extents[i]);
    }
  }
  return state.withRanges(ranges);
}

} // namespace nestwright
