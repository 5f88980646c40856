#pragma once
/// \file What a search over a template's configurations remembers from one proposal to the next.

#include "core/search/search_policy.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// A configuration that is going to be measured.
struct PlannedConfig {
  std::int64_t config = 0;
  PickReason reason = PickReason::Random;
  friend bool operator==(const PlannedConfig&, const PlannedConfig&) = default;
};

/// Each policy uses what concerns it.
struct ConfigSearchState {
  /// That gave nothing to measure: their programs cannot be made, or are those of others.
  std::vector<std::int64_t> passedOver;
  std::vector<PlannedConfig> plan;      // what is left of it, in order
  std::vector<std::int64_t> chains;     // where those of an annealing stand
  std::vector<std::int64_t> population; // of the present generation, as far as it was proposed
  std::vector<std::int64_t> parents;    // of it
  std::vector<std::int64_t> elites;     // the fastest of all generations before it
  friend bool operator==(const ConfigSearchState&, const ConfigSearchState&) = default;
};

/// JSON text and back; an empty text is the state of a search that has not begun.
std::string toText(const ConfigSearchState& state);
/// Throws InputError for what no search of a space of this size can have stored.
ConfigSearchState configSearchStateFromText(const std::string& text, std::int64_t spaceSize);

} // namespace nestwright
