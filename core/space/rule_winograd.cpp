/// \file Winograd, a rule of our own: both halves of a transform are done on a tile and a vector of
/// channels at a time, so that what lies between them stays in registers. The paper's rule for
/// constant tensors puts the channels outside of the unrolled tile, where they are no vector, and
/// everything between two transforms into memory.

#include "core/space/rules.h"
#include "core/space/state_facts.h"
#include "core/space/winograd_stages.h"

namespace nestwright {

namespace {

/// Where the channels of a transform are among its axes (row, column, tile, channel).
constexpr int kTileAxis = 2, kChannelAxis = 3;

class WinogradRule final : public SketchRule {
 public:
  std::string name() const override { return "Winograd"; }

  RuleVerdict condition(const State& state, int stage, const SpaceOptions&,
                        std::string& reason) const override {
    reason = "it is no part of a Winograd convolution that is made tile by tile";
    if (isTiled(state.stage(stage)) || !hasLoops(state.stage(stage))) return RuleVerdict::Skip;
    if (firstHalfOf(state, stage)) {
      reason = "it is the second half of one of Winograd's transforms, with the first inside";
      return RuleVerdict::ApplyAndSkipRest;
    }
    const std::optional<WinogradStages> stages = winogradStages(state);
    if (!stages) return RuleVerdict::Skip;
    if (stage == stages->result) {
      if (state.stage(stage).op->axes.size() != 4) return RuleVerdict::Skip;
      reason = "it stores the results of Winograd's tiles, which are transformed where it wants "
               "them";
      return RuleVerdict::ApplyAndSkipRest;
    }
    if (stage == stages->product) {
      reason = "it is the product between Winograd's transforms: one for each place of a tile";
      return RuleVerdict::Apply;
    }
    return RuleVerdict::Skip;
  }

  std::vector<Derivation> apply(const State& state, int stage, const SpaceOptions&) const override {
    State next = state;
    if (const std::optional<int> first = firstHalfOf(state, stage)) {
      arrangeHalves(next, stage, *first);
      return {{std::move(next), *first - 1, {}}};
    }
    const WinogradStages stages = winogradStages(state).value();
    if (stage == stages.result) {
      arrangeResults(next, stages);
      return {{std::move(next), stages.product, {}}};
    }
    arrangeProduct(next, stage);
    return {{std::move(next), stage - 1, {}}};
  }

 private:
  /// Split, as the channels of another stage are, and in the order tile, outer channels, rows and
  /// columns of the tile, which are unrolled, channels.
  static void arrangeTransform(State& state, int stage, int channelSplit) {
    state.apply(FollowSplitStep{stage, kChannelAxis, channelSplit, 1});
    state.apply(ReorderStep{stage, {kTileAxis, kChannelAxis, 0, 1, kChannelAxis + 1}});
    unroll(state, stage, 2, 3);
  }

  static void unroll(State& state, int stage, int first, int second) {
    state.apply(AnnotationStep{stage, first, Annotation::Unroll});
    state.apply(AnnotationStep{stage, second, Annotation::Unroll});
  }

  static int split(State& state, int stage, int axis, std::vector<TileSize> factors) {
    const int step = static_cast<int>(state.steps().size());
    state.apply(SplitStep{stage, axis, state.stage(stage).iterators[axis].extent,
                          std::move(factors), true});
    return step;
  }

  /// nn, yy.0, xx.0, ff.0 | yy.1, xx.1, ff.1, with both halves of the inverse inside ff.0.
  static void arrangeResults(State& state, const WinogradStages& stages) {
    const int result = stages.result;
    for (const int stage : stages.inlined)
      state.apply(ComputeInlineStep{stage});
    const int channels = split(state, result, 3, {TileSize()});
    splitByTile(state, result, 2, stages.side);
    splitByTile(state, result, 1, stages.side);
    state.apply(ReorderStep{result, {0, 1, 3, 5, 2, 4, 6}});
    unroll(state, result, 4, 5);
    for (const int stage : {stages.inverse, stages.inverseColumns}) {
      arrangeTransform(state, stage, channels);
      state.apply(ComputeAtStep{stage, result, 3});
    }
  }

  /// No extent: the size is the tile's, not one that a search may draw.
  static void splitByTile(State& state, int stage, int axis, std::int64_t side) {
    state.apply(SplitStep{stage, axis, std::nullopt, {side}, true});
  }

  /// eps, nu, co.0, p.0, ci.0 | p.1, co.1, ci.1: lowering finds the registers' tile inside.
  static void arrangeProduct(State& state, int stage) {
    split(state, stage, 4, {TileSize()});
    split(state, stage, 3, {TileSize()});
    split(state, stage, 2, {TileSize()});
    state.apply(ReorderStep{stage, {0, 1, 4, 2, 6, 3, 5, 7}});
  }

  /// p, ci.0 | eps, nu, ci.1, with the first half inside ci.0.
  static void arrangeHalves(State& state, int second, int first) {
    const int channels = split(state, second, kChannelAxis, {TileSize()});
    state.apply(ReorderStep{second, {kTileAxis, kChannelAxis, 0, 1, kChannelAxis + 1}});
    unroll(state, second, 2, 3);
    arrangeTransform(state, first, channels);
    state.apply(ComputeAtStep{first, second, 1});
  }
};

} // namespace

std::shared_ptr<const SketchRule> winogradRule() {
  return std::make_shared<WinogradRule>();
}

} // namespace nestwright
