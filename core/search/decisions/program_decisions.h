#pragma once
/// \file The decisions of a program with what each is: what programs of one task differ in.

#include "core/search/decisions/neighbours.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// What a decision is called in all programs of a task: "tiles of j of C", "unroll of C", "place of
/// B", "parallel loops of C", "vector of C". `loop` is that of tiles.
std::string decisionName(DecisionKind kind, std::string_view stage, std::string_view loop = {});

struct ProgramDecision {
  DecisionKind kind = DecisionKind::TileSize;
  std::string decision; // as Neighbour has it
  /// Of tiles one of the loops that the split makes, as a loop nest calls it: "j.2 of C"; else as
  /// `decision`.
  std::string name;
  std::string value;        // in words: "16", "2 loops"; of a place its loop: "j.1 of C"
  std::int64_t ordered = 0; // what values are ordered by
};

/// All of them that sampling decides, in the order of the steps: sizes of tiles, each level on its
/// own, the unroll limit, how many loops are parallel or one vector, and where stages are computed.
/// Of one name the last counts, in the place of the first. Throws IllegalSchedule where the steps
/// do not replay.
std::vector<ProgramDecision> decisionsOf(const ComputeDag& dag, const Steps& steps);

} // namespace nestwright
