#include "core/space/sketch.h"

#include "core/space/rules.h"
#include "core/support/error.h"

#include <algorithm>

namespace nestwright {

SketchRules cpuRules() {
  return {alwaysInlineRule(),
          simplifyConstRule(),
          addRfactorRule(),
          addCacheStageRule(),
          multiLevelTilingWithFusionRule(),
          multiLevelTilingRule(),
          skipRule()};
}

SketchRules nestwrightRules() {
  return {packedPanelRule()};
}

namespace {

/// Far more than any task has; a rule that always returns its own stage would go on for ever.
constexpr std::size_t kMostDerivations = 100'000;

struct Partial {
  Derivation at;
  std::vector<RuleFiring> firings;
};

/// What the rules make of one partial sketch.
void derive(const Partial& partial, const SpaceOptions& options, const SketchRules& rules,
            std::vector<Partial>& next) {
  const State& state = partial.at.state;
  const int stage = partial.at.nextStage;
  for (const auto& rule : rules) {
    std::string reason;
    const RuleVerdict verdict = rule->condition(state, stage, options, reason);
    if (verdict == RuleVerdict::Skip) continue;
    for (Derivation& derivation : rule->apply(state, stage, options)) {
      std::vector<RuleFiring> firings = partial.firings;
      if (!state.stage(stage).isPlaceholder())
        firings.push_back(
            {state.stage(stage).name(), rule->name(),
             derivation.note.empty() ? reason : fmt::format("{} ({})", reason, derivation.note)});
      next.push_back({std::move(derivation), std::move(firings)});
    }
    if (verdict == RuleVerdict::ApplyAndSkipRest) break;
  }
}

/// A reduction is factored after a split whose size is still to be chosen: rules take 1 for it, so
/// that the new stages have extents.
State withUndecidedRfactors(State state) {
  Steps steps = state.steps();
  bool hasRfactor = false;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    auto* split = std::get_if<SplitStep>(&steps[i - 1]);
    if (split == nullptr || !std::holds_alternative<RfactorStep>(steps[i])) continue;
    std::fill(split->factors.begin(), split->factors.end(), TileSize());
    hasRfactor = true;
  }
  return hasRfactor ? State::replay(state.originalDag(), steps) : std::move(state);
}

} // namespace

std::vector<Sketch> generateSketches(const ComputeDag& dag, const SpaceOptions& options,
                                     const SketchRules& rules) {
  std::vector<Sketch> sketches;
  State initial(dag);
  const int last = initial.stageCount() - 1;
  std::vector<Partial> frontier;
  frontier.push_back({{std::move(initial), last, {}}, {}});
  std::size_t derivations = 0;
  // Breadth first: the order of the sketches is that of the public implementation.
  while (!frontier.empty()) {
    std::vector<Partial> next;
    for (Partial& partial : frontier) {
      if (partial.at.nextStage < 0)
        sketches.push_back(
            {withUndecidedRfactors(std::move(partial.at.state)), std::move(partial.firings)});
      else
        derive(partial, options, rules, next);
    }
    frontier = std::move(next);
    derivations += frontier.size();
    if (derivations > kMostDerivations)
      throw InputError(fmt::format("the sketch rules come to no end: rule \"{}\" on stage {} made "
                                   "one of {} partial sketches",
                                   frontier.back().firings.back().rule,
                                   frontier.back().firings.back().stage, derivations));
  }
  return sketches;
}

} // namespace nestwright
