/// \file Simplify Compute with Constant Tensor: a product with a small constant matrix, as in a
/// Winograd convolution, is unrolled over the matrix, so that its elements become literals.

#include "core/space/rules.h"
#include "core/space/state_facts.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {

namespace {

class SimplifyConstRule final : public SketchRule {
 public:
  std::string name() const override { return "Simplify Compute with Constant Tensor"; }

  RuleVerdict condition(const State& state, int stage, const SpaceOptions&,
                        std::string& reason) const override {
    const Stage& s = state.stage(stage);
    reason = "it does not multiply with a small constant tensor";
    if (!hasLoops(s) || isTiled(s)) return RuleVerdict::Skip;
    const std::vector<std::string>& listed = s.op->attributes.simplifyConstIndices;
    if (listed.empty()) return RuleVerdict::Skip;
    const bool isApplicable =
        std::all_of(s.iterators.begin(), s.iterators.end(), [&](const Iterator& iterator) {
          return !iterator.isReduction() || isListed(listed, iterator.name);
        });
    if (!isApplicable) return RuleVerdict::Skip;
    reason = fmt::format("a constant tensor is indexed by {}, whose loops are unrolled; the others "
                         "are tiled in two levels",
                         fmt::join(listed, ", "));
    return RuleVerdict::ApplyAndSkipRest;
  }

  std::vector<Derivation> apply(const State& state, int stage, const SpaceOptions&) const override {
    State next = state;
    const std::vector<std::string>& listed = state.stage(stage).op->attributes.simplifyConstIndices;
    std::vector<int> outer, inner, unrolled;
    int at = 0;
    for (const Iterator& iterator : state.stage(stage).iterators) {
      if (isListed(listed, iterator.name)) {
        next.apply(AnnotationStep{stage, at, Annotation::Unroll});
        unrolled.push_back(at++);
      } else {
        next.apply(SplitStep{stage, at, iterator.extent, {TileSize()}, true});
        outer.push_back(at++);
        inner.push_back(at++);
      }
    }
    ReorderStep reorder{stage, outer};
    for (const auto* level : {&inner, &unrolled})
      reorder.order.insert(reorder.order.end(), level->begin(), level->end());
    next.apply(reorder);
    return {{std::move(next), stage - 1, {}}};
  }
};

} // namespace

std::shared_ptr<const SketchRule> simplifyConstRule() {
  return std::make_shared<SimplifyConstRule>();
}

} // namespace nestwright
