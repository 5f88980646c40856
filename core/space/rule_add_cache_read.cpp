/// \file Add Cache Read: what a tile of a GPU's block reads again and again is fetched into memory
/// that its threads share.

#include "core/space/rules.h"
#include "core/space/state_facts.h"

#include <algorithm>
#include <set>

namespace nestwright {

namespace {

/// The consumer works on tiles, all of whose data its threads read from shared memory.
bool sharesTiles(const State& state, const AccessAnalysis& analysis, int stage, int consumer) {
  const std::vector<int>& producers = analysis.directProducers(consumer);
  return analysis.needsMultiLevelTiling(consumer) && !hasCrossThreadReduction(state, consumer) &&
         std::find(producers.begin(), producers.end(), stage) != producers.end();
}

/// The innermost loop of the outermost reduction tile: with it every reduction axis has been met.
int lastOuterReduction(const Stage& stage) {
  const OpNode& op = *stage.op;
  const auto split =
      std::count_if(op.reduceAxes.begin(), op.reduceAxes.end(), [&](const Axis& axis) {
        return !isListed(op.attributes.noSplitAtInner, axis.name());
      });
  std::set<std::string> met;
  for (int i = 0; i < static_cast<int>(stage.iterators.size()); ++i) {
    if (stage.iterators[i].kind != IteratorKind::Reduction) continue;
    for (const std::string& name : originalNames(stage.iterators[i].name))
      met.insert(name);
    if (split == 0 || static_cast<std::ptrdiff_t>(met.size()) == split) return i;
  }
  return -1;
}

class AddCacheReadRule final : public SketchRule {
 public:
  std::string name() const override { return "Add Cache Read"; }

  RuleVerdict condition(const State& state, int stage, const SpaceOptions&,
                        std::string& reason) const override {
    const AccessAnalysis analysis(state.dag());
    const std::vector<int> consumers = consumersOf(state, analysis, stage);
    if (consumers.empty()) {
      reason = "nothing reads it";
      return RuleVerdict::Skip;
    }
    // Of several the first decides, as in the public implementation.
    const std::string& first = state.stage(consumers[0]).name();
    if (!sharesTiles(state, analysis, stage, consumers[0]) ||
        lastOuterReduction(state.stage(consumers[0])) < 0) {
      reason = first + " does not read it tile by tile";
      return RuleVerdict::Skip;
    }
    reason = first + " reads it tile by tile, so the threads of a block fetch each tile into "
                     "shared memory together";
    return RuleVerdict::ApplyAndSkipRest;
  }

  std::vector<Derivation> apply(const State& state, int stage, const SpaceOptions&) const override {
    const AccessAnalysis analysis(state.dag());
    State next = state;
    int added = 0;
    for (const int consumer : consumersOf(state, analysis, stage)) {
      // The public implementation fetches for every one, and ends where one does not reduce.
      const int at = sharesTiles(state, analysis, stage, consumer)
                         ? lastOuterReduction(state.stage(consumer))
                         : -1;
      if (at < 0) continue;
      next.apply(CacheReadStep{stage, "shared", {consumer + added}});
      ++added;
      next.apply(ComputeAtStep{stage + 1, consumer + added, at});
    }
    return {{std::move(next), stage, {}}};
  }
};

} // namespace

std::shared_ptr<const SketchRule> addCacheReadRule() {
  return std::make_shared<AddCacheReadRule>();
}

} // namespace nestwright
