#pragma once
/// \file A proposal of configurations in the making: what all policies over a template's space
/// share.

#include "core/search/config_search_state.h"
#include "core/support/random.h"

#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

namespace nestwright {

/// How a configuration came to be chosen.
struct ConfigChoice {
  std::int64_t config = 0;
  Origin origin = Origin::RandomSample;
  PickReason reason = PickReason::Random;
  std::vector<std::string> parents = {}; // programIds
};

/// One outside of `taken`, drawn evenly; nothing when there is none.
std::optional<std::int64_t> drawOutside(const ConfigSpace& space,
                                        const std::unordered_set<std::int64_t>& taken,
                                        Random& random);

class ConfigSearch {
 public:
  /// Of up to `count` configurations. The context has a template, and is to outlive this. Throws
  /// InputError for a state that is none.
  ConfigSearch(int count, const SearchContext& context);

  const ConfigSpace& space() const { return space_; }
  ConfigSearchState& state() { return state_; }
  /// Measured, proposed or passed over.
  const std::unordered_set<std::int64_t>& visited() const { return visited_; }
  bool isFull() const { return missing() == 0; }
  int missing() const;
  std::uint64_t attempts() const { return proposal_.attempts; }
  /// Whether to go on: more is wanted, and neither was the space used up nor tried in vain for as
  /// often as the context allows (C5).
  bool goesOn() const;

  /// Proposes it, unless it was visited or has no program of its own to measure: false.
  bool take(const ConfigChoice& choice);
  /// Those that the user wants the search to start from, as far as they were not visited.
  void takeSeeds();
  /// One that was not visited, drawn evenly; nothing when there is none.
  std::optional<std::int64_t> drawUnvisited(Random& random) const {
    return drawOutside(space_, visited_, random);
  }
  /// Fills the proposal with random configurations.
  void fillAtRandom();
  /// It is complete, although it may have fewer than were wanted: what comes next depends on their
  /// times. To be called when something was taken.
  void endHere();

  void addPlanningTime(double seconds) { proposal_.evolutionSeconds += seconds; }

  /// The proposal, with what the cost model expects of each, and the state after it.
  Proposal finish();

 private:
  void passOver(std::int64_t config, const std::string& why);
  void addPredictions();
  std::string shortage() const;

  const SearchContext& context_;
  const ConfigSpace& space_;
  int count_;
  ConfigSearchState state_;
  std::unordered_set<std::int64_t> visited_;
  std::vector<std::int64_t> taken_; // of the candidates
  std::set<std::string> programs_;  // of this proposal
  int fruitless_ = 0;
  bool ended_ = false;
  Proposal proposal_;
};

} // namespace nestwright
