/// \file Special Compute Location: what a product with a constant tensor reads is computed right
/// outside of the loops that are unrolled over the tensor, once for all of them.

#include "core/space/rules.h"
#include "core/space/state_facts.h"

#include <algorithm>

namespace nestwright {

namespace {

/// The only consumer, if it multiplies with a small constant tensor.
std::optional<int> constantProduct(const State& state, const AccessAnalysis& analysis, int stage) {
  const std::vector<int> consumers = consumersOf(state, analysis, stage);
  if (consumers.size() != 1 ||
      state.stage(consumers[0]).op->attributes.simplifyConstIndices.empty())
    return std::nullopt;
  return consumers[0];
}

/// The loop before the first unrolled one; nothing when there is none.
std::optional<int> loopAroundUnrolled(const Stage& stage) {
  const auto unrolled =
      std::find_if(stage.iterators.begin(), stage.iterators.end(), [](const Iterator& iterator) {
        return iterator.annotation == Annotation::Unroll;
      });
  if (unrolled == stage.iterators.begin() || unrolled == stage.iterators.end()) return std::nullopt;
  return static_cast<int>(unrolled - stage.iterators.begin()) - 1;
}

class SpecialComputeLocationRule final : public SketchRule {
 public:
  std::string name() const override { return "Special Compute Location"; }

  RuleVerdict condition(const State& state, int stage, const SpaceOptions& options,
                        std::string& reason) const override {
    const AccessAnalysis analysis(state.dag());
    std::string inlining;
    const bool isInlined = isAlwaysInlined(state, analysis, stage, options, inlining);
    const std::optional<int> consumer = constantProduct(state, analysis, stage);
    if (!isInlined || !consumer || analysis.directProducers(stage).empty() ||
        !loopAroundUnrolled(state.stage(*consumer))) {
      reason = "it is not what a product with a constant tensor reads";
      return RuleVerdict::Skip;
    }
    reason = state.stage(*consumer).name() +
             " reads it over and over in unrolled loops, so it is computed right outside of them";
    return RuleVerdict::ApplyAndSkipRest;
  }

  std::vector<Derivation> apply(const State& state, int stage, const SpaceOptions&) const override {
    const int consumer = constantProduct(state, AccessAnalysis(state.dag()), stage).value();
    State next = state;
    next.apply(ComputeAtStep{stage, consumer, loopAroundUnrolled(state.stage(consumer)).value()});
    return {{std::move(next), stage - 1, {}}};
  }
};

} // namespace

std::shared_ptr<const SketchRule> specialComputeLocationRule() {
  return std::make_shared<SpecialComputeLocationRule>();
}

} // namespace nestwright
