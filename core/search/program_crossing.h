#pragma once
/// \file Crossing chosen programs of a task many times, with an account of what came of each cross.

#include "core/search/crossover.h"
#include "core/search/search_policy.h"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

struct CrossParent {
  Steps steps;
  std::string programId;
};

enum class CrossOutcome : std::uint8_t {
  Legal,
  Illegal,
  Duplicate, // of a parent, an earlier child, or a program that is known
};
const char* name(CrossOutcome outcome); // "legal", ...

/// One cross.
struct CrossChild {
  std::array<int, 2> parents{}; // indices
  StageOwners owners;           // which of the two each node took its steps from; by nodes only
  CrossOutcome outcome = CrossOutcome::Illegal;
  std::string reason;       // illegal or duplicate: why
  Steps steps;              // unless illegal
  std::vector<int> origins; // which of the two parents each step came from
  std::string programId;
  std::optional<double> score;  // of a legal child, when there are judges: the mean of its two
  bool predictedBetter = false; // than both of its parents, each by the parent's own judge
};

/// What is taken from one of the two parents as a whole.
enum class CrossGrain : std::uint8_t {
  Node, // all steps of a stage (Ansor's crossover)
  Step, // each decision in which parents of one structure differ; others are crossed by nodes
};

struct CrossingRequest {
  const ComputeDag* dag = nullptr;
  std::vector<CrossParent> parents; // at least two
  int count = 200;                  // crosses
  std::uint64_t seed = 1;
  CrossGrain grain = CrossGrain::Node;
  SpaceOptions space;
  std::function<bool(const std::string& programId)> known; // measured before; may be empty
  /// One for each parent, or none at all: a model that has not learned from that parent, by which
  /// children are compared with it. The same may judge several. See impartialJudges().
  std::vector<const CostScorer*> judges;
};

/// The crosses in the order of their draws: each takes two different parents and, for every stage
/// that computes, or every decision, one of them, all uniform. A pure function of the request.
/// Throws InputError when there are fewer than two parents, or one of them does not fit the task.
std::vector<CrossChild> crossPrograms(const CrossingRequest& request);

struct CrossTally {
  int legal = 0, illegal = 0, duplicate = 0, predictedBetter = 0;
  std::map<std::string, int> reasons; // of the illegal ones
};
CrossTally tally(const std::vector<CrossChild>& children);

/// Up to `count` legal children, as indices, the most promising first: those predicted better than
/// both parents come before the others, each by their score. Without predictions the order of the
/// draws decides.
std::vector<int> mostPromising(const std::vector<CrossChild>& children, int count);

/// How a child came to be, as its record is to keep it.
Trace traceOf(const CrossChild& child, const std::vector<CrossParent>& parents);

} // namespace nestwright
