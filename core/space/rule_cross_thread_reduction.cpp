/// \file Cross-Thread Reduction: a long reduction with few results is shared by the threads of a
/// block, which combine their partial results; where it fits, inside the kernel of its consumer,
/// and with our draws also beside it where a block of that would make one reduction after another.

#include "core/space/rules.h"
#include "core/space/state_facts.h"
#include "core/support/quantity.h"

#include <fmt/format.h>

namespace nestwright {

namespace {

/// A consumer whose outer loops the reduction can share, with the loop to be computed in.
struct SharedKernel {
  int consumer = 0;
  int innermostLoop = 0;
  std::optional<int> split; // the consumer's only split step, whose inner part the threads execute
};

std::optional<SharedKernel> sharedKernel(const State& state, const AccessAnalysis& analysis,
                                         int stage) {
  const std::optional<int> consumer = singleConsumer(state, analysis, stage);
  if (!consumer || analysis.needsMultiLevelTiling(*consumer)) return std::nullopt;
  const int common = analysis.commonOuterIterators(stage, *consumer);
  if (common == 0) return std::nullopt;
  const std::vector<int> splits = spatialSplitSteps(state, *consumer);
  // The public implementation ends here: threads can follow one split only, and a reduction has
  // threads of its own.
  if (splits.size() > 1 || (splits.empty() && hasReduceIterator(state.stage(*consumer))))
    return std::nullopt;
  return SharedKernel{*consumer, common - 1,
                      splits.empty() ? std::nullopt : std::optional(splits[0])};
}

class CrossThreadReductionRule final : public SketchRule {
 public:
  std::string name() const override { return "Cross-Thread Reduction"; }

  RuleVerdict condition(const State& state, int stage, const SpaceOptions& options,
                        std::string& reason) const override {
    if (!hasLoops(state.stage(stage)) || isCacheWriteProduct(state, stage)) {
      reason = "it has no loops of its own, or is the cache of another stage";
      return RuleVerdict::Skip;
    }
    const GpuFacts& gpu = options.target.gpu.value();
    const OpNode& op = *state.stage(stage).op;
    if (roundsEachStep(op)) {
      reason = std::string(kRoundsEachStep);
      return RuleVerdict::Skip;
    }
    const std::int64_t space = length(op.axes), reduction = length(op.reduceAxes);
    const AccessAnalysis analysis(state.dag());
    if (analysis.needsMultiLevelTiling(stage)) {
      if (space > gpu.threadsPerBlock || space >= reduction) {
        reason = fmt::format("its {} elements give threads enough to do without sharing the "
                             "reduction of {}",
                             space, reduction);
        return RuleVerdict::Skip;
      }
    } else if (reduction <= 1 || reduction <= gpu.warpThreads) {
      reason = reduction <= 1
                   ? "it does not reduce"
                   : fmt::format("its reduction of {} is too short to be shared", reduction);
      return RuleVerdict::Skip;
    }
    reason = fmt::format("the threads of a block can share the reduction of {} values for each of "
                         "its {}",
                         reduction, quantity(space, "element"));
    return RuleVerdict::Apply;
  }

  std::vector<Derivation> apply(const State& state, int stage,
                                const SpaceOptions& options) const override {
    const std::int64_t warp = options.target.gpu.value().warpThreads;
    const auto kernel = sharedKernel(state, AccessAnalysis(state.dag()), stage);
    if (!kernel) return {alone(state, stage, warp, {})};
    std::vector<Derivation> made{inside(state, stage, *kernel, warp)};
    const auto loops = static_cast<int>(state.stage(kernel->consumer).iterators.size());
    const bool hasThreadsInside = kernel->innermostLoop < loops - 1;
    if (options.draws == Draws::Own && !hasThreadsInside)
      made.push_back(alone(state, stage, warp, "with a kernel of its own"));
    return made;
  }

 private:
  /// A block for each element, whose threads are those of its reduction.
  static Derivation alone(const State& state, int stage, std::int64_t warp, std::string detail) {
    State next = state;
    const int reduction = fuseReduction(next, stage);
    const TileSize extent = next.stage(stage).iterators[reduction].extent;
    next.apply(SplitStep{stage, reduction, extent, {warp}, true});
    next.apply(AnnotationStep{stage, reduction + 1, Annotation::ThreadX});
    return {std::move(next), stage - 1, std::move(detail)};
  }

  static Derivation inside(const State& state, int stage, const SharedKernel& kernel,
                           std::int64_t warp) {
    State next = state;
    const int reduction = fuseReduction(next, stage);
    const int threads = kernel.split ? *kernel.split : splitConsumer(next, kernel, warp);
    next.apply(FollowSplitStep{stage, reduction, threads, 1});
    next.apply(AnnotationStep{stage, reduction + 1, Annotation::ThreadX});
    next.apply(ComputeAtStep{stage, kernel.consumer, kernel.innermostLoop});
    return {std::move(next), stage - 1,
            fmt::format("inside {}", state.stage(kernel.consumer).name())};
  }

  /// Joins the reduction loops of a stage that no step has touched; gives the place of the one.
  static int fuseReduction(State& state, int stage) {
    const OpNode& op = *state.stage(stage).op;
    const int first = static_cast<int>(op.axes.size());
    if (op.reduceAxes.size() > 1) {
      FuseStep fuse{stage, {}};
      for (int i = 0; i < static_cast<int>(op.reduceAxes.size()); ++i)
        fuse.iterators.push_back(first + i);
      state.apply(fuse);
    }
    return first;
  }

  /// Gives a warp to the consumer's innermost loop; returns the number of the split step.
  static int splitConsumer(State& state, const SharedKernel& kernel, std::int64_t warp) {
    const std::vector<Iterator>& loops = state.stage(kernel.consumer).iterators;
    const int last = static_cast<int>(loops.size()) - 1;
    const int step = static_cast<int>(state.steps().size());
    state.apply(SplitStep{kernel.consumer, last, loops[last].extent, {warp}, true});
    state.apply(AnnotationStep{kernel.consumer, last + 1, Annotation::ThreadX});
    return step;
  }
};

} // namespace

std::shared_ptr<const SketchRule> crossThreadReductionRule() {
  return std::make_shared<CrossThreadReductionRule>();
}

} // namespace nestwright
