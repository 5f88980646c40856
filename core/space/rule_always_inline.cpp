/// \file Always Inline: what is cheap to compute again is computed where it is read.

#include "core/schedule/stage_reads.h"
#include "core/space/rules.h"
#include "core/space/state_facts.h"

namespace nestwright {
namespace {

/// Of one body; below what is refused.
constexpr std::int64_t kMostInlinedReads = kMostExpandedReads / 32;

int loadsIn(const Expr& body) {
  int loads = 0;
  visit(body, [&](const Expr& e) {
    loads += e->kind == ExprKind::Load;
    return true;
  });
  return loads;
}

/// In a chain of stages that each read the one before twice, reads double with each that is
/// inlined.
bool readsTooMuchInlined(const State& state, int stage) {
  if (loadsIn(state.stage(stage).op->body) < 2) return false;
  State next = state;
  next.apply(ComputeInlineStep{stage});
  const StageReads reads(next);
  for (int id = stage + 1; id < next.stageCount(); ++id)
    if (next.stage(id).location != ComputeLocation::Inlined && reads.reaches(id, stage) &&
        reads.expanded(id) > kMostInlinedReads)
      return true;
  return false;
}

} // namespace

bool isAlwaysInlined(const State& state, const AccessAnalysis& analysis, int stage,
                     const SpaceOptions& options, std::string& reason) {
  const Stage& s = state.stage(stage);
  if (!hasLoops(s)) {
    reason = "it has no loops of its own";
    return false;
  }
  const bool isOutput = analysis.isOutput(stage);
  // A GPU has arithmetic to spare, and memory is far away: there anything is computed again.
  const bool isCheap = options.target.gpu || analysis.isStrictlyInlineable(stage);
  if (isOutput || hasReduceIterator(s) || !isCheap) {
    reason = isOutput               ? "it is an output, which must be stored"
             : hasReduceIterator(s) ? "it reduces, so computing it again would cost too much"
                                    : "computing it again in its readers would cost too much";
    return false;
  }
  if (readsTooMuchInlined(state, stage)) {
    reason = "its readers would read too much with it inlined into them";
    return false;
  }
  if (analysis.directProducers(stage).empty())
    reason = "it reads nothing, so its readers compute it at no cost";
  else if (options.target.gpu)
    reason = "it does not reduce, so its readers compute it themselves";
  else
    reason = "it is element-wise and cheap, so its readers compute it themselves";
  return true;
}

namespace {

class AlwaysInlineRule final : public SketchRule {
 public:
  std::string name() const override { return "Always Inline"; }

  RuleVerdict condition(const State& state, int stage, const SpaceOptions& options,
                        std::string& reason) const override {
    return isAlwaysInlined(state, AccessAnalysis(state.dag()), stage, options, reason)
               ? RuleVerdict::ApplyAndSkipRest
               : RuleVerdict::Skip;
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
