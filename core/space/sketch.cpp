#include "core/space/sketch.h"

#include "core/space/derivation.h"
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

SketchRules gpuRules() {
  return {addCacheReadRule(),
          specialComputeLocationRule(),
          alwaysInlineRule(),
          simplifyConstRule(),
          crossThreadReductionRule(),
          addCacheStageRule(),
          multiLevelTilingWithFusionRule(),
          multiLevelTilingRule(),
          skipRule()};
}

SketchRules paperRules(const TargetFacts& target) {
  return target.gpu ? gpuRules() : cpuRules();
}

SketchRules nestwrightRules(const TargetFacts& target) {
  return target.gpu ? SketchRules{tensorCoresRule(), splitReductionRule()}
                    : SketchRules{winogradRule(), packedPanelRule(), inlinePaddingRule()};
}

SketchRules limitedRules(const TargetFacts& target) {
  if (target.gpu)
    throw UsageError("the rules \"limited\" are for processors; on a GPU the rules \"paper\" are "
                     "the smallest space");
  return {alwaysInlineRule(),     simplifyConstRule(),
          addRfactorRule(),       multiLevelTilingWithFusionRule(),
          multiLevelTilingRule(), skipRule()};
}

SpaceOptions spaceOptionsFor(const TargetFacts& target, Draws draws) {
  SpaceOptions options;
  options.target = target;
  options.draws = draws;
  if (draws == Draws::Limited) {
    options.tilingStructure = "SSRS"; // a level less of each kind
    options.fusionLevels = {1};
    options.maxInnermostFactor = 16;
    options.movesStages = false;
  }
  if (!target.gpu) return options;
  // Blocks, virtual threads and threads; the data of a block; the registers of a thread.
  options.tilingStructure = "SSSRRSRS";
  options.fusionLevels = {3};
  options.unrollSteps = {0, 16, 64, 512, 1024};
  // All that a tile of 64 sums does with 32 steps of a reduction.
  if (draws == Draws::Own) options.unrollSteps.push_back(2048);
  return options;
}

namespace {

/// Far more than any task has; a rule that always returns its own stage would go on for ever.
constexpr std::size_t kMostDerivations = 100'000;
/// As many as anybody can look at; their steps are kept.
constexpr std::size_t kMostNodes = 5'000;

struct Partial {
  Derivation at;
  std::vector<RuleFiring> firings;
  int node = -1; // of the tree, if one is grown
};

/// Writes down what happens while sketches are derived.
class TreeWriter {
 public:
  explicit TreeWriter(DerivationTree& tree) : tree_(tree) {}

  int add(const Derivation& derivation, int parent, int rule) {
    DerivationNode node;
    node.parent = parent;
    node.rule = rule;
    node.note = derivation.note;
    node.steps = derivation.state.steps();
    node.stage = std::max(derivation.nextStage, -1);
    if (node.stage >= 0) {
      const Stage& stage = derivation.state.stage(node.stage);
      node.stageName = stage.name();
      node.isInput = stage.isPlaceholder();
    }
    tree_.nodes.push_back(std::move(node));
    const int made = static_cast<int>(tree_.nodes.size()) - 1;
    if (parent >= 0) tree_.nodes[parent].answers[rule].results.push_back(made);
    return made;
  }
  void expect(int node, const SketchRules& rules) {
    for (const auto& rule : rules)
      tree_.nodes[node].answers.push_back({rule->name(), RuleAnswer::Answer::NotAsked, {}, {}});
  }
  void answer(int node, int rule, RuleVerdict verdict, const std::string& reason) {
    RuleAnswer& answer = tree_.nodes[node].answers[rule];
    answer.answer = verdict == RuleVerdict::Skip    ? RuleAnswer::Answer::DoesNotHold
                    : verdict == RuleVerdict::Apply ? RuleAnswer::Answer::Holds
                                                    : RuleAnswer::Answer::HoldsAlone;
    answer.reason = reason;
  }
  void finish(int node, const State& state) {
    tree_.nodes[node].sketch = static_cast<int>(tree_.sketches++);
    tree_.nodes[node].steps = state.steps();
  }

 private:
  DerivationTree& tree_;
};

/// What the rules make of one partial sketch; told to `tree` if there is one.
void derive(const Partial& partial, const SpaceOptions& options, const SketchRules& rules,
            std::vector<Partial>& next, TreeWriter* tree) {
  const State& state = partial.at.state;
  const int stage = partial.at.nextStage;
  if (tree) tree->expect(partial.node, rules);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const SketchRule& rule = *rules[i];
    const int number = static_cast<int>(i);
    std::string reason;
    const RuleVerdict verdict = rule.condition(state, stage, options, reason);
    if (tree) tree->answer(partial.node, number, verdict, reason);
    if (verdict == RuleVerdict::Skip) continue;
    for (Derivation& derivation : rule.apply(state, stage, options)) {
      std::vector<RuleFiring> firings = partial.firings;
      if (!state.stage(stage).isPlaceholder())
        firings.push_back(
            {state.stage(stage).name(), rule.name(),
             derivation.note.empty() ? reason : fmt::format("{} ({})", reason, derivation.note)});
      const int node = tree ? tree->add(derivation, partial.node, number) : -1;
      next.push_back({std::move(derivation), std::move(firings), node});
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

std::vector<Sketch> generate(const ComputeDag& dag, const SpaceOptions& options,
                             const SketchRules& rules, TreeWriter* tree) {
  std::vector<Sketch> sketches;
  State initial(dag);
  const int last = initial.stageCount() - 1;
  std::vector<Partial> frontier;
  frontier.push_back({{std::move(initial), last, {}}, {}});
  if (tree) frontier.front().node = tree->add(frontier.front().at, -1, -1);
  const std::size_t most = tree ? kMostNodes : kMostDerivations;
  std::size_t derivations = 0;
  // Breadth first: the order of the sketches is that of the public implementation.
  while (!frontier.empty()) {
    std::vector<Partial> next;
    for (Partial& partial : frontier) {
      if (partial.at.nextStage >= 0) {
        derive(partial, options, rules, next, tree);
        continue;
      }
      sketches.push_back(
          {withUndecidedRfactors(std::move(partial.at.state)), std::move(partial.firings)});
      if (tree) tree->finish(partial.node, sketches.back().state);
    }
    frontier = std::move(next);
    derivations += frontier.size();
    if (derivations > most)
      throw InputError(fmt::format("the sketch rules come to no end: rule \"{}\" on stage {} made "
                                   "one of {} partial sketches",
                                   frontier.back().firings.back().rule,
                                   frontier.back().firings.back().stage, derivations));
  }
  return sketches;
}

} // namespace

std::vector<Sketch> generateSketches(const ComputeDag& dag, const SpaceOptions& options,
                                     const SketchRules& rules) {
  return generate(dag, options, rules, nullptr);
}

std::vector<Sketch> generateSketches(const ComputeDag& dag, const SpaceOptions& options) {
  return generateSketches(dag, options, paperRules(options.target));
}

DerivationTree deriveSketches(const ComputeDag& dag, const SpaceOptions& options) {
  return deriveSketches(dag, options, paperRules(options.target));
}

DerivationTree deriveSketches(const ComputeDag& dag, const SpaceOptions& options,
                              const SketchRules& rules) {
  DerivationTree tree;
  TreeWriter writer(tree);
  generate(dag, options, rules, &writer);
  return tree;
}

const char* inWords(RuleAnswer::Answer answer) {
  constexpr const char* kWords[] = {"holds", "holds, and no further rule is asked", "does not hold",
                                    "not asked"};
  return kWords[static_cast<int>(answer)];
}

namespace {

void printNode(const DerivationTree& tree, int index, int depth, std::string& text) {
  const DerivationNode& node = tree.nodes[index];
  if (node.sketch >= 0) {
    text += fmt::format("{:{}}sketch {}\n", "", 2 * depth, node.sketch + 1);
    return;
  }
  if (!node.isInput) text += fmt::format("{:{}}stage {}\n", "", 2 * depth, node.stageName);
  for (const RuleAnswer& answer : node.answers) {
    if (!node.isInput) {
      text += fmt::format("{:{}}{}: {}", "", 2 * depth + 2, answer.rule, inWords(answer.answer));
      text += answer.reason.empty() ? "\n" : fmt::format(" ({})\n", answer.reason);
    }
    for (const int result : answer.results) {
      const std::string& note = tree.nodes[result].note;
      if (!note.empty()) text += fmt::format("{:{}}{}\n", "", 2 * depth + 4, note);
      printNode(tree, result, node.isInput ? depth : depth + 2, text);
    }
  }
}

} // namespace

std::string printDerivation(const DerivationTree& tree) {
  std::string text;
  if (!tree.nodes.empty()) printNode(tree, 0, 0, text);
  return text;
}

} // namespace nestwright
