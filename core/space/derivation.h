#pragma once
/// \file How the sketches of a task come to be, as a tree: at each stage which rules were asked,
/// what they answered and why, and what came out (handbook/ansor.md 2).

#include "core/space/sketch.h"

#include <string>
#include <vector>

namespace nestwright {

/// A rule that was asked about a stage.
struct RuleAnswer {
  std::string rule;
  enum class Answer : std::uint8_t {
    Holds,       // it applies, and further rules are asked
    HoldsAlone,  // it applies, and no further rule is asked
    DoesNotHold, // it does not apply
    NotAsked     // a rule before it applies alone
  } answer = Answer::NotAsked;
  std::string reason;       // why, in words; empty when the rule gives none
  std::vector<int> results; // nodes that it made
};

/// A partial sketch, or a finished one.
struct DerivationNode {
  int parent = -1;
  int rule = -1;                   // of the parent's answers: the one that made it
  std::string note;                // what tells it from the rule's other results, if anything
  Steps steps;                     // the program so far
  int stage = -1;                  // that the rules look at next; -1 in a finished sketch
  std::string stageName;           // its name; empty in a finished sketch
  bool isInput = false;            // the stage is an input: there is nothing to decide
  std::vector<RuleAnswer> answers; // of all rules in their order
  int sketch = -1;                 // index of the finished sketch
};

struct DerivationTree {
  std::vector<DerivationNode> nodes; // the first is the naive program; parents before children
  std::size_t sketches = 0;
};

/// The derivation behind generateSketches(), with its sketches in the same order. Throws as it
/// does; without rules it takes the same.
DerivationTree deriveSketches(const ComputeDag& dag, const SpaceOptions& options,
                              const SketchRules& rules);
DerivationTree deriveSketches(const ComputeDag& dag, const SpaceOptions& options);

/// "holds", "holds, and no further rule is asked", "does not hold", "not asked".
const char* inWords(RuleAnswer::Answer answer);

/// The tree as indented text, inputs left out.
std::string printDerivation(const DerivationTree& tree);

} // namespace nestwright
