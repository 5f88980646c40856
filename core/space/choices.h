#pragma once
/// \file Decisions of a program that somebody else takes in place of the draws: which there are in
/// a sketch, and a program with them. Tile sizes are in the steps.

#include "core/space/annotation.h"
#include "core/space/sketch.h"
#include "core/support/random.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nestwright {

inline constexpr const char* kInlined = "inlined";
inline constexpr const char* kAtRoot = "root";

/// What was chosen for stages, by their names; what is not here is drawn, or is as it always is. A
/// choice for what does not come up in the program, as the vector of an inlined stage, says
/// nothing.
struct ProgramChoices {
  std::map<std::string, std::string> places;  // kInlined, kAtRoot or a loop: "j.1 of C"
  std::map<std::string, std::int64_t> unroll; // the limit
  /// How many outer loops are one parallel loop, and how many inner ones are one vector; 0: none.
  std::map<std::string, int> parallel, vector;
};

/// What can be chosen of a stage of a sketch. Other choices of the same program may take some of it
/// away: a loop of one iteration is no place.
struct StageChoices {
  std::string stage;
  std::vector<std::string> places;  // empty where it stays where it is
  std::vector<std::int64_t> unroll; // limits; empty where nothing is unrolled
  int parallel = 0, vector = 0;     // loops at most
};

/// Those of every stage with loops, in the order of the stages. On a GPU the limits of unrolling
/// alone.
std::vector<StageChoices> openChoices(const Sketch& sketch, const SpaceOptions& options);

/// One program of the sketch with these choices, as sampleProgram() gives it; `steps` are the
/// sketch's, some or all tile sizes of which are decided.
SampledProgram completeProgram(const Sketch& sketch, const Steps& steps,
                               const SpaceOptions& options, const ProgramChoices& choices,
                               Random& random);

} // namespace nestwright
