#pragma once
/// \file How a program came to be: what is stored with it, and shown beside it.

#include <cstdint>
#include <string_view>

namespace nestwright {

enum class Origin : std::uint8_t {
  Unknown,        // nothing tells, or this version does not know what does
  RandomSample,   // drawn from a sketch
  MeasuredBefore, // of the first generation: among the fastest of earlier rounds
  Seed,           // of the user, as it was given
  TileSize,       // a mutation, as are the next three
  Parallel,
  Unroll,
  ComputeLocation,
  Crossover,
  OnDemand, // named by the user, to be measured
  HandEdit,
  Imported,
  Kernel,        // a mutation, too
  MeasuredAgain, // the program of another record
  Annealing,     // found by an annealing of the cost model's scores
  Grid,          // the next one of a template's configurations, by their numbers
  KnobCrossover, // a configuration with knobs of two others
  Beam,          // grown decision by decision
  Remembered,    // a program of an earlier session, re-fitted to the task
  Polish,        // another one with one decision changed, in a polish
  Proposed       // by a policy in a process of its own
};

/// "", "random sample", "tile-size mutation", ...: as it is stored and shown.
const char* name(Origin origin);
/// The inverse; Unknown for a name that this version does not know.
Origin originFromName(std::string_view text);

} // namespace nestwright
