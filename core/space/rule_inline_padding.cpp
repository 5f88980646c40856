/// \file Inline Padding, a rule of our own: padding that changes nothing in the reductions that
/// read it is asked for where it is read, and not stored. The lowering leaves out the terms behind
/// it, so that neither a padded copy is made nor is anything multiplied with padding
/// (core/lower/cpu/tap_plan.h).

#include "core/space/rules.h"
#include "core/space/state_facts.h"
#include "core/tensor/neutral_terms.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {

namespace {

class InlinePaddingRule final : public SketchRule {
 public:
  std::string name() const override { return "Inline Padding"; }

  RuleVerdict condition(const State& state, int stage, const SpaceOptions& options,
                        std::string& reason) const override {
    reason = "it is no padding that its readers can leave out";
    const Stage& s = state.stage(stage);
    if (options.target.gpu || !hasLoops(s)) return RuleVerdict::Skip;
    const AccessAnalysis analysis(state.dag());
    if (analysis.isOutput(stage)) return RuleVerdict::Skip;
    const std::vector<int>& readers = analysis.directConsumers(stage);
    const bool neutral = std::ranges::all_of(
        readers, [&](int reader) { return isNeutralPadding(*s.op, *state.stage(reader).op); });
    if (!neutral) return RuleVerdict::Skip;
    if (isPlain(options.target.lowering)) {
      reason = "the plain lowering computes with padding";
      return RuleVerdict::Skip;
    }
    reason = fmt::format("its padding changes nothing in what {} reduces, so the terms behind it "
                         "can be left out",
                         state.stage(readers.front()).name());
    return RuleVerdict::Apply;
  }

  std::vector<Derivation> apply(const State& state, int stage, const SpaceOptions&) const override {
    State next = state;
    next.apply(ComputeInlineStep{stage});
    return {{std::move(next), stage - 1, {}}};
  }
};

} // namespace

std::shared_ptr<const SketchRule> inlinePaddingRule() {
  return std::make_shared<InlinePaddingRule>();
}

} // namespace nestwright
