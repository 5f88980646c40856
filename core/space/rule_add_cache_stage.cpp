/// \file Add Cache Stage: a stage that no consumer can share its tiles with computes into a cache,
/// and a copy of it becomes that consumer.

#include "core/space/rules.h"
#include "core/space/state_facts.h"

namespace nestwright {

namespace {

class AddCacheStageRule final : public SketchRule {
 public:
  std::string name() const override { return "Add Cache Stage"; }

  RuleVerdict condition(const State& state, int stage, const SpaceOptions& options,
                        std::string& reason) const override {
    reason = "it reads no data again, so a cache would not help";
    if (!hasLoops(state.stage(stage))) return RuleVerdict::Skip;
    const AccessAnalysis analysis(state.dag());
    if (!analysis.needsMultiLevelTiling(stage)) return RuleVerdict::Skip;
    if (const std::optional<int> consumer = fusibleConsumer(state, analysis, stage)) {
      reason = "its consumer " + state.stage(*consumer).name() +
               " can work on its tiles, so it needs no cache stage";
      return RuleVerdict::Skip;
    }
    reason = "it reuses data but no consumer reads it element for element, so its tiles are "
             "computed in a local cache and copied out";
    // A CPU may also do without: its registers hold what the innermost loops add to.
    return options.target.gpu ? RuleVerdict::ApplyAndSkipRest : RuleVerdict::Apply;
  }

  std::vector<Derivation> apply(const State& state, int stage, const SpaceOptions&) const override {
    State next = state;
    next.apply(CacheWriteStep{stage, "local"});
    return {{std::move(next), stage, {}}};
  }
};

} // namespace

std::shared_ptr<const SketchRule> addCacheStageRule() {
  return std::make_shared<AddCacheStageRule>();
}

} // namespace nestwright
