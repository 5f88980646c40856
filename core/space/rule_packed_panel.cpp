/// \file Packed Panel, a rule of our own: an operand that is read again and again from far-apart
/// rows, or across its rows, is copied panel by panel into contiguous memory, around the loops that
/// read the panel again. Libraries of matrix products do this; the paper's space has no sketch for
/// it.

#include "core/space/packed_panel.h"
#include "core/space/rules.h"
#include "core/space/state_facts.h"

#include <algorithm>
#include <numeric>

namespace nestwright {

namespace {

/// Iterations of a transposing copy that are done at once along the reduction.
constexpr std::int64_t kTransposedRows = 16;

/// The largest number of rows that a transposing copy can do at once without remainder.
std::int64_t largestDivisor(std::int64_t extent) {
  std::int64_t divisor = kTransposedRows;
  while (extent % divisor != 0)
    --divisor;
  return divisor;
}

/// The loops of a stage while its axes are cut, each by its axis and part.
class Loops {
 public:
  explicit Loops(std::size_t axes) : parts_(axes, 1) {}

  /// Where the loop of part `part` of the axis stands before any reordering.
  int at(int axis, int part = 0) const {
    return std::accumulate(parts_.begin(), parts_.begin() + axis, 0) + part;
  }
  void cut(int axis) { parts_[static_cast<std::size_t>(axis)] = 2; }
  int parts(int axis) const { return parts_[static_cast<std::size_t>(axis)]; }

 private:
  std::vector<int> parts_;
};

class PackedPanelRule final : public SketchRule {
 public:
  std::string name() const override { return "Packed Panel"; }

  RuleVerdict condition(const State& state, int stage, const SpaceOptions& options,
                        std::string& reason) const override {
    if (isCacheReadProduct(state, stage)) {
      reason = "it is a panel, packed where its reader wants it";
      return RuleVerdict::ApplyAndSkipRest;
    }
    reason = "none of its operands is read again from rows far apart, or across its rows";
    // The copy behind a cache stage would share the tiles, not the panels.
    if (isCacheWriteProduct(state, stage)) return RuleVerdict::Skip;
    const std::optional<PackedPanel> panel = packedPanel(state, stage, options);
    if (!panel || !canTile(state, stage)) return RuleVerdict::Skip;
    reason = panel->reason;
    return RuleVerdict::Apply;
  }

  std::vector<Derivation> apply(const State& state, int stage,
                                const SpaceOptions& options) const override {
    if (isCacheReadProduct(state, stage)) return {{state, stage - 1, {}}};
    const PackedPanel panel = packedPanel(state, stage, options).value();
    const std::optional<int> consumer = sharingConsumer(state, stage);
    State next = state;
    next.apply(CacheReadStep{panel.operand, "local", {stage}});
    arrangeCopy(next, panel);
    const bool fused = consumer && !panel.cutReduction;
    if (fused)
      tileWithConsumer(next, stage + 1, *consumer + 1, panel);
    else
      tile(next, stage + 1, panel);
    return {{std::move(next), stage,
             fused ? fmt::format("with the tiles of {}", state.stage(*consumer).name()) : ""}};
  }

 private:
  static bool canTile(const State& state, int stage) {
    return state.stage(stage).op->attributes.noSplitAtInner.empty();
  }

  /// A consumer that can work on a tile while it is near.
  static std::optional<int> sharingConsumer(const State& state, int stage) {
    const std::optional<int> consumer = fusibleConsumer(state, AccessAnalysis(state.dag()), stage);
    if (!consumer || isTiled(state.stage(*consumer)) || !canTile(state, *consumer) ||
        state.stage(*consumer).op->axes.size() != state.stage(stage).op->axes.size())
      return std::nullopt;
    return consumer;
  }

  /// The copy in whole vectors. One that transposes does a block of rows at once, so that what it
  /// reads of a row stays near. What an instruction multiplies and adds in a lane is innermost.
  static void arrangeCopy(State& state, const PackedPanel& panel) {
    const int copy = panel.operand + 1;
    const std::vector<Iterator> loops = state.stage(copy).iterators;
    std::vector<int> order;
    for (int i = 0; i < static_cast<int>(loops.size()); ++i)
      if (i != panel.laneIndex && i != panel.rowIndex) order.push_back(i);
    if (panel.transposed) order.push_back(panel.rowIndex);
    order.push_back(panel.laneIndex);
    const bool inOrder = std::is_sorted(order.begin(), order.end());
    if (!inOrder) state.apply(ReorderStep{copy, order});
    int lanes = static_cast<int>(order.size()) - 1;
    // No extents: the sizes belong to the way of copying, not to what a search may draw.
    if (panel.dotLength > 1) {
      const int along = static_cast<int>(std::ranges::find(order, panel.dotIndex) - order.begin());
      state.apply(SplitStep{copy, along, std::nullopt, {panel.dotLength}, true});
      std::vector<int> inside(order.size() + 1);
      std::iota(inside.begin(), inside.end(), 0);
      std::rotate(inside.begin() + along + 1, inside.begin() + along + 2, inside.end());
      state.apply(ReorderStep{copy, inside});
      state.apply(AnnotationStep{copy, lanes + 1, Annotation::Unroll});
    }
    const std::int64_t rows = loops[panel.rowIndex].extent.value_or(1) / panel.dotLength;
    if (const std::int64_t block = panel.transposed ? largestDivisor(rows) : 1; block > 1) {
      state.apply(SplitStep{copy, lanes - 1, std::nullopt, {block}, true});
      state.apply(AnnotationStep{copy, lanes, Annotation::Unroll});
      ++lanes;
    }
    state.apply(AnnotationStep{copy, lanes, Annotation::Vectorize});
  }

  /// Panels outside of the loops that read them again; lowering finds the registers' tile inside.
  static void tile(State& state, int stage, const PackedPanel& panel) {
    const OpNode op = *state.stage(stage).op;
    const int rank = static_cast<int>(op.axes.size());
    const int reductions = static_cast<int>(op.reduceAxes.size());
    Loops loops(static_cast<std::size_t>(rank + reductions));
    const auto cut = [&](int axis, std::int64_t extent, bool innerToOuter) {
      state.apply(SplitStep{stage, loops.at(axis), extent, {TileSize()}, innerToOuter});
      loops.cut(axis);
    };
    for (const int axis : panel.panel)
      cut(axis, op.axes[axis].extent, true);
    // Few pieces of a long reduction: their number is drawn, not their length.
    if (panel.cutReduction) cut(rank, op.reduceAxes[0].extent, false);
    ReorderStep order{stage, {}};
    for (const int axis : panel.batch)
      order.order.push_back(loops.at(axis));
    for (const int axis : panel.panel)
      order.order.push_back(loops.at(axis));
    if (panel.cutReduction) order.order.push_back(loops.at(rank));
    const int packAt = static_cast<int>(order.order.size()) - 1;
    for (const int axis : panel.reused)
      order.order.push_back(loops.at(axis));
    for (const int axis : panel.panel)
      order.order.push_back(loops.at(axis, 1));
    for (int i = 0; i < reductions; ++i)
      order.order.push_back(loops.at(rank + i, loops.parts(rank + i) - 1));
    state.apply(order);
    state.apply(ComputeAtStep{panel.operand + 1, stage, packAt});
  }

  /// The same with the consumer's loops outside: it works on each tile while it is near.
  static void tileWithConsumer(State& state, int stage, int consumer, const PackedPanel& panel) {
    const OpNode op = *state.stage(stage).op;
    const int rank = static_cast<int>(op.axes.size());
    Loops inner(static_cast<std::size_t>(rank) + op.reduceAxes.size());
    Loops outer(static_cast<std::size_t>(rank));
    std::vector<std::pair<int, int>> splits; // axis, step
    for (const auto* axes : {&panel.panel, &panel.reused})
      for (const int axis : *axes) {
        splits.emplace_back(axis, static_cast<int>(state.steps().size()));
        state.apply(SplitStep{stage, inner.at(axis), op.axes[axis].extent, {TileSize()}, true});
        inner.cut(axis);
      }
    for (const auto& [axis, step] : splits) {
      state.apply(FollowSplitStep{consumer, outer.at(axis), step, 1});
      outer.cut(axis);
    }
    const auto ordered = [&](const Loops& loops) {
      std::vector<int> order;
      for (const int axis : panel.batch)
        order.push_back(loops.at(axis));
      for (const int axis : panel.panel)
        order.push_back(loops.at(axis));
      for (const int axis : panel.reused)
        order.push_back(loops.at(axis));
      for (const int axis : panel.reused)
        order.push_back(loops.at(axis, 1));
      for (const int axis : panel.panel)
        order.push_back(loops.at(axis, 1));
      return order;
    };
    ReorderStep innerOrder{stage, ordered(inner)};
    for (int i = 0; i < static_cast<int>(op.reduceAxes.size()); ++i)
      innerOrder.order.push_back(inner.at(rank + i));
    state.apply(innerOrder);
    state.apply(ReorderStep{consumer, ordered(outer)});
    const int packAt = static_cast<int>(panel.batch.size() + panel.panel.size()) - 1;
    const int tileAt = packAt + static_cast<int>(panel.reused.size());
    state.apply(ComputeAtStep{stage, consumer, tileAt});
    state.apply(ComputeAtStep{panel.operand + 1, consumer, packAt});
  }
};

} // namespace

std::shared_ptr<const SketchRule> packedPanelRule() {
  return std::make_shared<PackedPanelRule>();
}

} // namespace nestwright
