#include "core/search/search_phase.h"

#include "core/support/error.h"

namespace nestwright {

const char* name(SearchPhase phase) {
  constexpr const char* kNames[] = {"sketches",  "sampling",  "evolution",
                                    "selection", "measuring", "training"};
  return kNames[static_cast<int>(phase)];
}

SearchPhase searchPhaseFromName(std::string_view text) {
  for (const SearchPhase phase : kSearchPhases)
    if (text == name(phase)) return phase;
  throw InputError(fmt::format("\"{}\" is no phase of a search", text));
}

} // namespace nestwright
