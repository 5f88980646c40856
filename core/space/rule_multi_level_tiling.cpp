/// \file Multi-Level Tiling: data that is read again should still be in a cache or register.

#include "core/space/rules.h"
#include "core/space/state_facts.h"
#include "core/space/tiling.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {

std::string reuseInWords(const AccessAnalysis& analysis, int op) {
  const OpNode& node = *analysis.dag()[op];
  std::string text;
  for (const int producer : analysis.directProducers(op)) {
    std::vector<std::string> axes;
    for (const Axis& axis : node.axes) {
      const auto& tuples = analysis.reads(op, producer);
      const bool isUsed =
          std::any_of(tuples.begin(), tuples.end(), [&](const std::vector<Expr>& tuple) {
            return std::any_of(tuple.begin(), tuple.end(),
                               [&](const Expr& index) { return uses(index, axis.var); });
          });
      if (axis.extent > 1 && !isUsed) axes.push_back(axis.name());
    }
    if (axes.empty()) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} along {}", analysis.dag()[producer]->name(), fmt::join(axes, " and "));
  }
  return text;
}

namespace {

class MultiLevelTilingRule final : public SketchRule {
 public:
  std::string name() const override { return "Multi-Level Tiling"; }

  RuleVerdict condition(const State& state, int stage, const SpaceOptions& options,
                        std::string& reason) const override {
    reason = "it reads no data again, so tiles would not help";
    if (!hasLoops(state.stage(stage))) return RuleVerdict::Skip;
    const AccessAnalysis analysis(state.dag());
    if (!analysis.needsMultiLevelTiling(stage)) return RuleVerdict::Skip;
    reason = fmt::format("it reads data again ({}), so its loops are tiled as {}",
                         reuseInWords(analysis, stage), options.tilingStructure);
    return RuleVerdict::ApplyAndSkipRest;
  }

  std::vector<Derivation> apply(const State& state, int stage,
                                const SpaceOptions& options) const override {
    State next = state;
    tileStage(next, stage, options.tilingStructure);
    return {{std::move(next), stage - 1, {}}};
  }
};

} // namespace

std::shared_ptr<const SketchRule> multiLevelTilingRule() {
  return std::make_shared<MultiLevelTilingRule>();
}

} // namespace nestwright
