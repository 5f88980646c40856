#pragma once
/// \file The phases of a round, in their order: what a search does from a task to measured programs
/// and what is learned from them (handbook/ansor.md 3, 4).

#include <array>
#include <cstdint>
#include <string_view>

namespace nestwright {

enum class SearchPhase : std::uint8_t {
  Sketches,  // structures of programs, derived by rules
  Sampling,  // tile sizes and annotations drawn at random
  Evolution, // programs bred from programs under the cost model
  Selection, // which of them are measured
  Measuring, // built, checked and timed
  Training   // the cost model learns what was measured
};

inline constexpr std::array kSearchPhases = {SearchPhase::Sketches,  SearchPhase::Sampling,
                                             SearchPhase::Evolution, SearchPhase::Selection,
                                             SearchPhase::Measuring, SearchPhase::Training};

/// "sketches", "sampling", "evolution", "selection", "measuring", "training".
const char* name(SearchPhase phase);
/// Throws InputError for any other text.
SearchPhase searchPhaseFromName(std::string_view text);

} // namespace nestwright
