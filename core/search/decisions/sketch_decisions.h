#pragma once
/// \file The decisions that a sketch leaves open, by the names that program_decisions.h gives them,
/// and the program that values for them give: for searches that are not ours
/// (handbook/policies.md).

#include "core/search/decisions/neighbours.h"
#include "core/space/annotation.h"
#include "core/space/sketch.h"
#include "core/support/random.h"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace nestwright {

/// One of them, and what it can be.
struct SketchDecision {
  DecisionKind kind = DecisionKind::TileSize;
  std::string name;
  std::string stage; // whose it is; of tiles empty
  // Of tiles:
  std::int64_t extent = 0;        // of the loop
  std::vector<TileSize> parts;    // outermost first; those that are decided, and the open ones
  std::int64_t mostInnermost = 0; // for the last part; 0: no limit
  // Of the others:
  std::vector<std::int64_t> values; // limits of unrolling, or numbers of loops
  std::vector<std::string> places;
};

/// Those of tiles in the order of the steps, then those of each stage.
std::vector<SketchDecision> sketchDecisions(const Sketch& sketch, const SpaceOptions& options);

/// Of tiles all parts, outermost first; of a place its name; of others a number.
using DecisionValue = std::variant<std::int64_t, std::vector<std::int64_t>, std::string>;
using DecisionValues = std::map<std::string, DecisionValue>;

/// The program of the sketch with these decisions; those that are not there are drawn. Without a
/// program where one of them is unknown or impossible, or where the program is illegal; `failure`
/// says why. One that does not come up in the program, as the vector of an inlined stage, is passed
/// over.
SampledProgram decidedProgram(const Sketch& sketch, const SpaceOptions& options,
                              const DecisionValues& values, Random& random);

/// What the decisions of its sketch are in a program; with these values the sketch gives it again,
/// but for programs that a person wrote. Throws IllegalSchedule where the steps do not replay.
DecisionValues decisionValues(const Sketch& sketch, const SpaceOptions& options,
                              const Steps& steps);

} // namespace nestwright
