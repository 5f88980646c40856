/// \file Tensor Cores: the innermost tiles of a product are those of an instruction that a warp
/// executes together (handbook/cuda.md 10.2).

#include "core/space/rules.h"
#include "core/space/state_facts.h"
#include "core/space/tensor_product.h"
#include "core/space/tiling.h"

#include <fmt/format.h>

namespace nestwright {

namespace {

/// Blocks, blocks, warps; the data of a block; the tiles of a warp, and of an instruction.
constexpr std::string_view kStructure = "SSSRRSRS";
constexpr int kSharedLevels = 3; // with the stage that stores the result

class TensorCoresRule final : public SketchRule {
 public:
  std::string name() const override { return "Tensor Cores"; }

  RuleVerdict condition(const State& state, int stage, const SpaceOptions& options,
                        std::string& reason) const override {
    if (!tensorProduct(state, stage, options, reason)) return RuleVerdict::Skip;
    if (isCacheWriteProduct(state, stage)) {
      reason = "the stage that it is a cache of has such tiles already";
      return RuleVerdict::Skip;
    }
    const Stage& s = state.stage(stage);
    if (!isTiled(s) && s.op->attributes.noSplitAtInner.empty()) return RuleVerdict::Apply;
    reason = "its loops are tiled already, or shall stay whole";
    return RuleVerdict::Skip;
  }

  std::vector<Derivation> apply(const State& state, int stage,
                                const SpaceOptions& options) const override {
    std::string reason;
    const TensorProduct product = tensorProduct(state, stage, options, reason).value();
    State next = state;
    std::optional<int> consumer = fusibleConsumer(state, AccessAnalysis(state.dag()), stage);
    if (!consumer || isTiled(state.stage(*consumer))) {
      next.apply(CacheWriteStep{stage, "local"});
      consumer = stage + 1;
    }
    const OpNode& op = *state.stage(stage).op;
    const auto spatial = static_cast<int>(op.axes.size());
    const auto summed = static_cast<int>(op.reduceAxes.size());
    std::vector<TileSize> innermost(static_cast<std::size_t>(spatial + summed), TileSize(1));
    innermost[static_cast<std::size_t>(product.rows)] = product.instruction->m;
    innermost[static_cast<std::size_t>(product.columns)] = product.instruction->n;
    innermost[static_cast<std::size_t>(spatial + product.summed)] = product.instruction->k;
    const std::vector<int> splits = tileStage(next, stage, kStructure, innermost);
    followTiling(next, *consumer, splits, kSharedLevels);
    next.apply(ComputeAtStep{stage, *consumer, kSharedLevels * spatial - 1});
    // All loops of the last two levels, also those of one iteration: they have to stay so.
    const auto loops = static_cast<int>(next.stage(stage).iterators.size());
    for (int i = loops - spatial - summed; i < loops; ++i)
      next.apply(AnnotationStep{stage, i, Annotation::Tensorize});
    next.apply(PragmaStep{
        stage, 0, fmt::format("{}{}", kTensorInstructionPragma, product.instruction->name)});
    return {{std::move(next), stage - 1, {}}};
  }
};

} // namespace

std::shared_ptr<const SketchRule> tensorCoresRule() {
  return std::make_shared<TensorCoresRule>();
}

} // namespace nestwright
