#pragma once
/// \file The neighbours of a program: what each of its decisions can be instead, one step away
/// (handbook/ansor.md 4.9).

#include "core/schedule/state.h"
#include "core/space/sketch.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

enum class DecisionKind : std::uint8_t {
  TileSize,        // of one split
  TilePair,        // of two: the innermost loop of one is longer and that of the other shorter
  Unroll,          // the limit of a stage
  Parallel,        // how many outer loops are one parallel loop
  Vectorize,       // how many inner loops are a vector
  ComputeLocation, // of a stage
  Kernel,          // of a GPU's kernel (kernelDecisions)
  Sketch           // what is fused, cached, packed or split
};
/// "tile size", "tile pair", "unroll", "parallel", "vectorize", "compute location", "kernel",
/// "sketch".
const char* name(DecisionKind kind);

/// Neighbour::decision of another sketch. What two sketches do not share is drawn at random, most
/// of it tiles, so that what such a program gains says little of the sketch.
inline constexpr const char* kSketchDecision = "sketch";

/// A legal program with one decision changed.
struct Neighbour {
  DecisionKind kind = DecisionKind::TileSize;
  std::string decision; // which, the same in all programs of the descent: "tiles of j of C"
  std::string change;   // "4 · 2 · 8 becomes 4 · 4 · 4"
  State program;
  std::string programId;
};

/// All of a program whose ranges are known, decision by decision in the order of the steps, each
/// program once. A tile size is one prime factor away in a split; every other decision takes each
/// of its values. Where the program is one of `sketches`, a stage also goes from a loop to root or
/// into its readers, and back, and the program becomes one of the other sketches: what follows from
/// that, as which loops are parallel, is drawn, always alike. Pure.
std::vector<Neighbour> neighboursOf(const State& program, const SpaceOptions& options,
                                    std::span<const Sketch> sketches = {});

} // namespace nestwright
