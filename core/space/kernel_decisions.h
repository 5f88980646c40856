#pragma once
/// \file Decisions about a GPU's kernel that are steps of their own, ours and not the paper's: how
/// rows lie in shared memory, how far ahead tiles are fetched, in which order blocks run, and how
/// many a multiprocessor holds (handbook/cuda.md 2.6).

#include "core/schedule/bounds.h"
#include "core/space/sketch.h"

#include <string>
#include <vector>

namespace nestwright {

struct KernelDecision {
  enum class Kind : std::uint8_t { Rows, Pipeline, Raster, MinBlocks };
  Kind kind = Kind::Rows;
  int stage = 0; // of the finished program
  int axis = 0;  // Rows: the dimension whose stride is meant
  /// What can be chosen; the first is what a program without such a step has. Rows: they are an odd
  /// number of so many elements long, 0: as long as they are. Pipeline: tiles at once. Raster: rows
  /// of blocks that run together. MinBlocks: blocks of a multiprocessor, at least.
  std::vector<std::int64_t> choices;
};

/// What can be decided in a program, given its bounds; a decision has two choices at least. Nothing
/// where the options want the paper's draws.
std::vector<KernelDecision> kernelDecisions(const State& state, const Bounds& bounds,
                                            const SpaceOptions& options);

/// The steps with another choice: a step is changed, added or taken out. The bounds of the program
/// stay.
Steps withChoice(const Steps& steps, const KernelDecision& decision, std::int64_t choice);

/// What a GPU's program has that the paper's programs have not, and how wide its fetches are, in
/// words: "3 pipeline stages".
std::vector<std::string> kernelFeatures(const State& state, const Bounds& bounds,
                                        const SpaceOptions& options);

} // namespace nestwright
