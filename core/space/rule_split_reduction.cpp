/// \file Split Reduction: a rule of our own for GPUs. Where a tiled product has fewer blocks than
/// the device has multiprocessors, its reduction is cut into parts, each with blocks of its own;
/// a second kernel adds up what they found (handbook/cuda.md 2.1).

#include "core/space/rules.h"
#include "core/space/split_reduction.h"
#include "core/space/state_facts.h"
#include "core/support/quantity.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {

namespace {

/// Elements of the result that a block of a fast product has.
constexpr std::int64_t kElementsOfBlock = 4096; // 64 x 64
/// A shorter reduction is over before its parts could be added up.
constexpr std::int64_t kShortestReduction = 128;

bool isFactored(const State& state) {
  return std::ranges::any_of(
      state.steps(), [](const Step& step) { return std::holds_alternative<RfactorStep>(step); });
}

class SplitReductionRule final : public SketchRule {
 public:
  std::string name() const override { return "Split Reduction"; }

  RuleVerdict condition(const State& state, int stage, const SpaceOptions& options,
                        std::string& reason) const override {
    if (!options.target.gpu || !hasLoops(state.stage(stage)) || isCacheWriteProduct(state, stage) ||
        isFactored(state) || !AccessAnalysis(state.dag()).needsMultiLevelTiling(stage)) {
      reason = "it is no product that blocks tile, or is cut already";
      return RuleVerdict::Skip;
    }
    const OpNode& op = *state.stage(stage).op;
    if (roundsEachStep(op)) {
      reason = std::string(kRoundsEachStep);
      return RuleVerdict::Skip;
    }
    const std::int64_t space = length(op.axes), reduction = length(op.reduceAxes);
    const std::int64_t blocks = (space + kElementsOfBlock - 1) / kElementsOfBlock;
    const int multiprocessors = options.target.gpu->multiprocessors;
    if (reduction < kShortestReduction || partsOf(longestAxis(op).extent).empty()) {
      reason = fmt::format("its reduction of {} is too short to be cut", reduction);
      return RuleVerdict::Skip;
    }
    if (blocks >= multiprocessors) {
      reason = fmt::format("its {} elements are blocks enough for {} multiprocessors", space,
                           multiprocessors);
      return RuleVerdict::Skip;
    }
    reason = fmt::format("its {} would be about {}, fewer than {} multiprocessors, so "
                         "blocks can share the reduction of {}",
                         quantity(space, "element"), quantity(blocks, "block"), multiprocessors,
                         reduction);
    return RuleVerdict::Apply;
  }

  std::vector<Derivation> apply(const State& state, int stage, const SpaceOptions&) const override {
    const OpNode& op = *state.stage(stage).op;
    const int rank = static_cast<int>(op.axes.size());
    const Axis& axis = longestAxis(op);
    const int loop = rank + static_cast<int>(&axis - op.reduceAxes.data());
    const std::optional<int> consumer = fusibleConsumer(state, AccessAnalysis(state.dag()), stage);
    State next = state;
    // The driver makes the number of parts undecided; until then it is 1.
    next.apply(SplitStep{stage, loop, axis.extent, {1}, false});
    next.apply(RfactorStep{stage, loop, 0});
    const int sum = stage + 1;
    if (consumer) {
      const int last = static_cast<int>(next.stage(*consumer + 1).iterators.size()) - 1;
      if (last >= 0) next.apply(ComputeAtStep{sum, *consumer + 1, last});
    }
    return {{std::move(next), sum, {}}};
  }

 private:
  static const Axis& longestAxis(const OpNode& op) {
    return *std::ranges::max_element(op.reduceAxes, {}, &Axis::extent);
  }
};

} // namespace

std::shared_ptr<const SketchRule> splitReductionRule() {
  return std::make_shared<SplitReductionRule>();
}

} // namespace nestwright
