#pragma once
/// \file Node-based crossover (handbook/ansor.md 4.6): a child takes for every node all steps of
/// one of its two parents; replaying them verifies it.

#include "core/schedule/state.h"
#include "core/space/sketch.h"
#include "core/support/random.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// The node that a stage, by name, belongs to: an rfactor makes X.rf and X.repl of the stage X, and
/// all three are one node. Any other stage is a node of its own name.
std::string nodeOf(const std::string& stage);
/// The nodes of a program that compute something, each once.
std::vector<std::string> nodesOf(const State& program);

/// The parent (0 or 1) that each node takes its steps from.
using StageOwners = std::map<std::string, int>;

/// Each of the nodes from the parent where it scores higher, by its name (0 where it has no score);
/// a coin where the scores are equal, and one of several nodes turned around at random, so that
/// equal pairs do not always give equal children.
StageOwners drawOwners(const std::vector<std::string>& nodes,
                       const std::map<std::string, double>& first,
                       const std::map<std::string, double>& second, Random& random);

/// A child, with known ranges, or why there is none, in one sentence.
struct CrossoverResult {
  std::optional<State> child;
  std::string refusal;
  std::vector<int> origins; // the parent (0 or 1) of each of the child's steps
};
CrossoverResult tryCrossover(const State& first, const State& second, const StageOwners& owners,
                             const SpaceOptions& options);

/// The child alone. There is none when the parents do not have the same stages, when all owners are
/// the same, or when the mixture is illegal.
std::optional<State> crossover(const State& first, const State& second, const StageOwners& owners,
                               const SpaceOptions& options);

} // namespace nestwright
