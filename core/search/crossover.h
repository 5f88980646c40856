#pragma once
/// \file Node-based crossover (reference/ansor.md 4.6): a child takes for every stage all steps of
/// one of its two parents; replaying them verifies it.

#include "core/schedule/state.h"
#include "core/space/sketch.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// The parent (0 or 1) that each stage, by name, takes its steps from.
using StageOwners = std::map<std::string, int>;

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
