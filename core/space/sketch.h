#pragma once
/// \file Sketch generation: derivation rules applied stage by stage, from the last to the first
/// (handbook/ansor.md 2). One file a rule; user-defined rules sit in the same list.

#include "core/schedule/state.h"
#include "core/target/target.h"
#include "core/tensor/access_analysis.h"

#include <memory>
#include <string>
#include <vector>

namespace nestwright {

/// Which sizes are drawn: as the public implementation does, or for a GPU from wider ranges of our
/// own (handbook/cuda.md 2.6); or for a CPU from a space as small as that of templates written by
/// hand (handbook/ansor.md 3.8).
enum class Draws : std::uint8_t { Paper, Own, Limited };

/// The defaults are a CPU's; spaceOptionsFor() has those of every target.
struct SpaceOptions {
  TargetFacts target;
  std::string tilingStructure = "SSRSRS"; // spatial and reduction levels, outermost first
  std::vector<int> fusionLevels = {1, 2}; // levels of tiles that a consumer may share
  std::int64_t maxInnermostFactor = 64;
  std::int64_t maxVectorElements = 16;
  std::vector<std::int64_t> unrollSteps = {0, 16, 64, 512};
  /// Attempts before a task without valid programs gives up (C5).
  int maxSampleAttempts = 2000;
  Draws draws = Draws::Own;
  /// Whether float32 products may be those of TF32, whose factors have 10 digits (handbook/cuda.md
  /// 10.3).
  bool tf32 = false;
  bool movesStages = true; // whether stages that no rule placed go to other loops
};

SpaceOptions spaceOptionsFor(const TargetFacts& target, Draws draws = Draws::Own);

/// Enough parallel iterations that every core gets several, so that uneven ones even out.
inline constexpr std::int64_t kIterationsPerCore = 16;

/// Which rule made a decision on which stage, and why, in words.
struct RuleFiring {
  std::string stage;
  std::string rule;
  std::string reason;
};

struct Sketch {
  State state;
  std::vector<RuleFiring> firings;
};

enum class RuleVerdict { Skip, Apply, ApplyAndSkipRest };

/// A state and the stage to look at next: usually the one before, and the same when the rules
/// should look at it again.
struct Derivation {
  State state;
  int nextStage = 0;
  std::string note; // what tells it from the rule's other results, if anything
};

/// One derivation rule. Stateless; shared between threads. plugins/example_rule is an example of a
/// rule of one's own.
class SketchRule {
 public:
  virtual ~SketchRule() = default;
  virtual std::string name() const = 0;
  /// Whether the rule applies to the stage; `reason` gets the explanation, of yes or of no.
  virtual RuleVerdict condition(const State& state, int stage, const SpaceOptions& options,
                                std::string& reason) const = 0;
  virtual std::vector<Derivation> apply(const State& state, int stage,
                                        const SpaceOptions& options) const = 0;
};
using SketchRules = std::vector<std::shared_ptr<const SketchRule>>;

/// Ansor's CPU rules in their order (handbook/ansor.md 2.2).
SketchRules cpuRules();
/// Its rules for GPUs (handbook/cuda.md 2.1).
SketchRules gpuRules();
/// Those of the two that the target has.
SketchRules paperRules(const TargetFacts& target);

/// Rules of our own, to stand before those of the paper: they add sketches that the paper's space
/// lacks, and change none of it: packed panels on a CPU, tensor cores and reductions split over the
/// grid on a GPU.
SketchRules nestwrightRules(const TargetFacts& target = {});

/// Those of the paper for a CPU without its cache stages: of a limited space. Throws UsageError for
/// a GPU.
SketchRules limitedRules(const TargetFacts& target = {});

/// The rules of new sessions, as sketchRules() of core/plugin/plugin.h takes them.
inline constexpr const char* kDefaultRules = "nestwright,paper";

/// All sketches of a task, in the order of the public implementation. A state for which no rule
/// fires on some stage leaves no sketch. Throws InputError when the rules come to no end. Without
/// rules, those of the paper for the options' target.
std::vector<Sketch> generateSketches(const ComputeDag& dag, const SpaceOptions& options,
                                     const SketchRules& rules);
std::vector<Sketch> generateSketches(const ComputeDag& dag, const SpaceOptions& options);

} // namespace nestwright
