#include "core/search/search_phase.h"

#include "core/support/error.h"
#include "core/support/name_table.h"

namespace nestwright {

namespace {

constexpr NameTable<SearchPhase, 6> kPhaseNames = {
    {"sketches", "sampling", "evolution", "selection", "measuring", "training"}};

} // namespace

const char* name(SearchPhase phase) {
  return kPhaseNames.of(phase);
}

SearchPhase searchPhaseFromName(std::string_view text) {
  if (const auto phase = kPhaseNames.find(text)) return *phase;
  throw InputError(fmt::format("\"{}\" is no phase of a search", text));
}

} // namespace nestwright
