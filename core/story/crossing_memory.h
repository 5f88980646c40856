#pragma once
/// \file The crossing lab as it is kept in the document, so that reopening it shows the same
/// parents and crosses. What was measured is not kept twice: the records tell.

#include "core/session/crossing/crossing.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace nestwright {

struct CrossingMemory {
  RowId task = 0; // 0: nothing was crossed
  std::vector<RowId> parents;
  std::uint64_t seed = 0;
  bool predicted = false;
  std::string unpredicted; // why not, in a sentence
  std::vector<CrossChild> children;
  std::set<std::string> waiting; // programIds that measuring was asked for
};

/// Under which a session's lab is kept.
std::string crossingKey(RowId session);
/// JSON text and back; what cannot be read gives an empty memory.
std::string toText(const CrossingMemory& memory);
CrossingMemory crossingMemoryFromText(const std::string& text);

} // namespace nestwright
