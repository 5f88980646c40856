/// \file Always Inline: what is cheap to compute again is computed where it is read.

#include "core/space/rules.h"
#include "core/space/state_facts.h"

namespace nestwright {

namespace {

class AlwaysInlineRule final : public SketchRule {
 public:
  std::string name() const override { return "Always Inline"; }

  RuleVerdict condition(const State& state, int stage, const SpaceOptions&,
                        std::string& reason) const override {
    const Stage& s = state.stage(stage);
    if (!hasLoops(s)) {
      reason = "it has no loops of its own";
      return RuleVerdict::Skip;
    }
    const AccessAnalysis analysis(state.dag());
    const bool isOutput = analysis.isOutput(stage);
    if (isOutput || hasReduceIterator(s) || !analysis.isStrictlyInlineable(stage)) {
      reason = isOutput               ? "it is an output, which must be stored"
               : hasReduceIterator(s) ? "it reduces, so computing it again would cost too much"
                                      : "computing it again in its readers would cost too much";
      return RuleVerdict::Skip;
    }
    reason = analysis.directProducers(stage).empty()
                 ? "it reads nothing, so its readers compute it at no cost"
                 : "it is element-wise and cheap, so its readers compute it themselves";
    return RuleVerdict::ApplyAndSkipRest;
  }

  std::vector<Derivation> apply(const State& state, int stage, const SpaceOptions&) const override {
    State next = state;
    next.apply(ComputeInlineStep{stage});
    return {{std::move(next), stage - 1, {}}};
  }
};

} // namespace

std::shared_ptr<const SketchRule> alwaysInlineRule() {
  return std::make_shared<AlwaysInlineRule>();
}

} // namespace nestwright
