#pragma once
/// \file What a target allows, before anything is compiled (C4). Reasons come in kinds, so that
/// they can be counted.

#include "core/schedule/bounds.h"
#include "core/space/sketch.h"

#include <optional>
#include <string>

namespace nestwright {

/// The kind of a reason.
enum class Refusal : std::uint8_t {
  Undecided,      // a tile size is
  NoTileSize,     // none fits a limit
  Steps,          // they cannot be applied, or no bounds can be inferred
  Memory,         // for all tensors
  ParallelLoop,   // in another one, over a reduction, or on a GPU
  VectorLoop,     // not innermost, or over a reduction
  Annotation,     // that the target does not know, or a place where it means nothing
  Race,           // of blocks or virtual threads that share a reduction
  Threads,        // of a block: too many
  FewThreads,     // of a block: too few
  VirtualThreads, // too many
  UnequalThreads, // one axis bound to loops of different extents
  SharedMemory,   // of a block: too much
  Registers,      // of a thread: too many
  VectorWidth,    // in bytes: too wide
  Grid,           // too many blocks
  Statements,     // too many after unrolling
};
/// "too many threads in a block": as it is counted and shown.
const char* name(Refusal refusal);

/// Why a program may not be compiled.
struct Illegality {
  Refusal kind = Refusal::Undecided;
  std::string text; // one sentence, with the figures
};

/// Whose limits a GPU's kernels keep to.
enum class KernelLimits : std::uint8_t {
  Sketches, // those of a search over sketches, which leaves hopeless programs out
  Templates // AutoTVM's: what a device can run. There may be more virtual threads, fewer threads
            // than a warp, and no more shared memory than a block has without asking
};

/// Why a concrete program may not be compiled for this target, or nothing when it may. A GPU's
/// program needs its bounds: they are inferred, which throws IllegalSchedule where there are none.
std::optional<Illegality> illegality(const State& state, const SpaceOptions& options,
                                     KernelLimits limits = KernelLimits::Sketches);
/// The same from bounds that are known already: those of this state.
std::optional<Illegality> illegality(const State& state, const Bounds& bounds,
                                     const SpaceOptions& options,
                                     KernelLimits limits = KernelLimits::Sketches);

/// What the tile sizes alone say against the kernels of a GPU's tiled stages: less than
/// illegality(), and told without replaying the steps.
std::optional<Illegality> illegalTiles(const Steps& steps, const SpaceOptions& options);

} // namespace nestwright
