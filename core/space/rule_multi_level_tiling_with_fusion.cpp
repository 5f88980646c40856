/// \file Multi-Level Tiling with Fusion: the consumer works on a tile while it is still near.

#include "core/space/rules.h"
#include "core/space/state_facts.h"
#include "core/space/tiling.h"

#include <fmt/format.h>

namespace nestwright {

namespace {

class MultiLevelTilingWithFusionRule final : public SketchRule {
 public:
  std::string name() const override { return "Multi-Level Tiling with Fusion"; }

  RuleVerdict condition(const State& state, int stage, const SpaceOptions& options,
                        std::string& reason) const override {
    reason = "it reads no data again, so tiles would not help";
    if (!hasLoops(state.stage(stage))) return RuleVerdict::Skip;
    const AccessAnalysis analysis(state.dag());
    if (!analysis.needsMultiLevelTiling(stage)) return RuleVerdict::Skip;
    reason = "no consumer reads it element for element in plain loops";
    const std::optional<int> consumer = fusibleConsumer(state, analysis, stage);
    // A rule of the user's may have tiled the consumer already.
    if (!consumer || isTiled(state.stage(*consumer))) return RuleVerdict::Skip;
    reason = fmt::format("it reads data again ({}) and {} reads it element for element, so its "
                         "loops are tiled as {} inside those of {}",
                         reuseInWords(analysis, stage), state.stage(*consumer).name(),
                         options.tilingStructure, state.stage(*consumer).name());
    // A cache is of use only where its copy shares the tiles; a GPU's registers are one always.
    return isCacheWriteProduct(state, stage) || options.target.gpu ? RuleVerdict::ApplyAndSkipRest
                                                                   : RuleVerdict::Apply;
  }

  std::vector<Derivation> apply(const State& state, int stage,
                                const SpaceOptions& options) const override {
    const AccessAnalysis analysis(state.dag());
    const int consumer = fusibleConsumer(state, analysis, stage).value();
    State tiled = state;
    const std::vector<int> splits = tileStage(tiled, stage, options.tilingStructure);
    std::vector<Derivation> result;
    for (const int level : options.fusionLevels) {
      const auto structure = static_cast<std::size_t>(level) - 1;
      if (structure >= options.tilingStructure.size() ||
          options.tilingStructure[structure] != 'S' || splits.empty())
        continue;
      State next = tiled;
      followTiling(next, consumer, splits, level);
      const int innermostShared = level * static_cast<int>(splits.size()) - 1;
      next.apply(ComputeAtStep{stage, consumer, innermostShared});
      result.push_back({std::move(next), stage - 1, fmt::format("at tile level {}", level)});
    }
    return result;
  }
};

} // namespace

std::shared_ptr<const SketchRule> multiLevelTilingWithFusionRule() {
  return std::make_shared<MultiLevelTilingWithFusionRule>();
}

} // namespace nestwright
