/// \file Reduction Factorisation: a reduction that leaves cores without work is cut into partial
/// results, which can be computed in parallel or in vectors, and combined afterwards.

#include "core/space/rules.h"
#include "core/space/state_facts.h"
#include "core/support/quantity.h"

#include <fmt/format.h>

#include <numeric>

namespace nestwright {

namespace {

class AddRfactorRule final : public SketchRule {
 public:
  std::string name() const override { return "Reduction Factorization"; }

  RuleVerdict condition(const State& state, int stage, const SpaceOptions& options,
                        std::string& reason) const override {
    if (!hasLoops(state.stage(stage)) || isCacheWriteProduct(state, stage)) {
      reason = "it has no loops of its own, or is the cache of another stage";
      return RuleVerdict::Skip;
    }
    const OpNode& op = *state.stage(stage).op;
    if (roundsEachStep(op)) {
      reason = std::string(kRoundsEachStep);
      return RuleVerdict::Skip;
    }
    const std::int64_t space = length(op.axes), reduction = length(op.reduceAxes);
    const std::int64_t cores = options.target.cores;
    if (AccessAnalysis(state.dag()).needsMultiLevelTiling(stage)) {
      if (space > reduction || space > kIterationsPerCore * cores) {
        reason = fmt::format("its {} elements give every core enough to do without cutting the "
                             "reduction of {}",
                             space, reduction);
        return RuleVerdict::Skip;
      }
    } else if (reduction <= 1 || reduction <= cores) {
      reason = reduction <= 1
                   ? "it does not reduce"
                   : fmt::format("its reduction of {} is too short to be shared", reduction);
      return RuleVerdict::Skip;
    }
    reason = fmt::format("each of its {} reduces {} values, which {} {} can share",
                         quantity(space, "element"), reduction, cores,
                         cores == 1 ? "core's vectors" : "cores");
    return RuleVerdict::Apply;
  }

  std::vector<Derivation> apply(const State& state, int stage, const SpaceOptions&) const override {
    const OpNode& op = *state.stage(stage).op;
    const int rank = static_cast<int>(op.axes.size());
    const int reductions = static_cast<int>(op.reduceAxes.size());
    State split = state;
    if (reductions > 1) {
      FuseStep fuse{stage, std::vector<int>(op.reduceAxes.size())};
      std::iota(fuse.iterators.begin(), fuse.iterators.end(), rank);
      split.apply(fuse);
    }
    // The driver makes the factor undecided; until then it is 1, so that loops have extents.
    split.apply(SplitStep{stage, rank, length(op.reduceAxes), {1}, true});

    State outer = split;
    outer.apply(RfactorStep{stage, rank, rank});
    State inner = std::move(split);
    inner.apply(RfactorStep{stage, rank + 1, rank});
    ReorderStep factorLast{stage, {}};
    for (int i = 0; i < rank; ++i)
      factorLast.order.push_back(i);
    factorLast.order.push_back(rank + 1);
    factorLast.order.push_back(rank);
    inner.apply(factorLast);
    return {{std::move(outer), stage - 1, "blocks of the reduction in parallel"},
            {std::move(inner), stage - 1, "neighbouring values in one vector"}};
  }
};

} // namespace

std::shared_ptr<const SketchRule> addRfactorRule() {
  return std::make_shared<AddRfactorRule>();
}

} // namespace nestwright
