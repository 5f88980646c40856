#include "plugins/example_rule/vector_strips.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright::example_rule {

namespace {

/// Elements of the stage's type that one vector register holds.
std::int64_t vectorElements(const OpNode& op, const SpaceOptions& options) {
  return options.target.vectorBytes * 8 / std::max<int>(op.output->type.bits, 8);
}

/// True when the stage reads, directly or through stages that will be inlined, one that the
/// built-in rules tile: they want to fuse it into this stage's loops, which must be plain then.
bool endsTiledComputation(const AccessAnalysis& analysis, int stage) {
  const std::vector<int>& producers = analysis.directProducers(stage);
  return std::any_of(producers.begin(), producers.end(), [&](int producer) {
    return analysis.needsMultiLevelTiling(producer) ||
           (analysis.isStrictlyInlineable(producer) && endsTiledComputation(analysis, producer));
  });
}

class VectorStripsRule final : public SketchRule {
 public:
  /// The name that `nestwright sketches` shows beside the reason.
  std::string name() const override { return "Vector Strips"; }

  /// Says whether the rule fires, and if so why, in words for a person. `state` is what the rules
  /// made of the later stages; AccessAnalysis tells who reads whom, and how.
  RuleVerdict condition(const State& state, int stage, const SpaceOptions& options,
                        std::string& reason) const override {
    const Stage& s = state.stage(stage);
    if (s.isPlaceholder() || s.location != ComputeLocation::Root) return RuleVerdict::Skip;
    const OpNode& op = *s.op;
    if (op.axes.empty() || !op.reduceAxes.empty() || s.iterators.size() != op.axes.size())
      return RuleVerdict::Skip;
    const AccessAnalysis analysis(state.dag());
    // Always Inline has the better idea for what is cheap to compute again.
    if (analysis.isStrictlyInlineable(stage) && !analysis.isOutput(stage)) return RuleVerdict::Skip;
    if (analysis.needsMultiLevelTiling(stage) || endsTiledComputation(analysis, stage))
      return RuleVerdict::Skip;
    const std::int64_t elements = vectorElements(op, options);
    const std::int64_t row = op.axes.back().extent;
    if (elements < 2 || row <= elements || row % elements != 0) return RuleVerdict::Skip;
    reason = fmt::format(
        "it is element-wise, and its rows of {} elements divide into vectors of {}", row, elements);
    return RuleVerdict::ApplyAndSkipRest;
  }

  /// The steps. A tile size that is left empty, `SplitStep{..., {TileSize()}, true}`, would be
  /// chosen by the search; this one is always the register's.
  std::vector<Derivation> apply(const State& state, int stage,
                                const SpaceOptions& options) const override {
    const OpNode& op = *state.stage(stage).op;
    const int row = static_cast<int>(op.axes.size()) - 1;
    State next = state;
    next.apply(SplitStep{stage, row, op.axes.back().extent, {vectorElements(op, options)}, true});
    next.apply(AnnotationStep{stage, row + 1, Annotation::Vectorize});
    return {{std::move(next), stage - 1, {}}};
  }
};

} // namespace

std::shared_ptr<const SketchRule> vectorStripsRule() {
  return std::make_shared<VectorStripsRule>();
}

} // namespace nestwright::example_rule
