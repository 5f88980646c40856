/// \file Skip: the stage keeps its plain loops.

#include "core/space/rules.h"
#include "core/space/state_facts.h"

namespace nestwright {

namespace {

class SkipRule final : public SketchRule {
 public:
  std::string name() const override { return "Skip"; }

  RuleVerdict condition(const State& state, int stage, const SpaceOptions&,
                        std::string& reason) const override {
    const Stage& s = state.stage(stage);
    if (s.isPlaceholder()) return RuleVerdict::Apply;
    const AccessAnalysis analysis(state.dag());
    if (hasReduceIterator(s))
      reason = "it reduces, but reads no data again along its outer loops";
    else if (analysis.isOutput(stage))
      reason = "it is an output without data reuse";
    else
      reason = "it has no data reuse, and computing it again in its readers would cost too much";
    return RuleVerdict::Apply;
  }

  std::vector<Derivation> apply(const State& state, int stage, const SpaceOptions&) const override {
    return {{state, stage - 1, {}}};
  }
};

} // namespace

std::shared_ptr<const SketchRule> skipRule() {
  return std::make_shared<SkipRule>();
}

} // namespace nestwright
