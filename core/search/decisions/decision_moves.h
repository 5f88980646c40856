#pragma once
/// \file What single decisions of a program can be: for mutations, which draw one, and for a
/// polish, which tries all.

#include "core/schedule/state.h"
#include "core/space/sketch.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nestwright {

/// Sizes of all parts of the split of this index, outermost first; empty when some size is
/// undecided or the loop is trivial, and where it cuts a reduction for an rfactor: into how many
/// parts follows from other draws (drawReductionParts).
std::vector<std::int64_t> partSizes(const Steps& steps, std::size_t step);
/// Whether the split of this index cuts a reduction for the rfactor behind it.
bool cutsAReduction(const Steps& steps, std::size_t step);
/// The same split with these.
SplitStep withPartSizes(SplitStep split, const std::vector<std::int64_t>& sizes);
/// How large each part may become; 0 when it has to stay as it is.
std::vector<std::int64_t> partLimits(const State& parent, std::size_t step, std::size_t parts,
                                     const SpaceOptions& options);
/// The sizes with one prime factor moved from a part to another, within the limits.
std::vector<std::vector<std::int64_t>> primeMoves(const std::vector<std::int64_t>& sizes,
                                                  const std::vector<std::int64_t>& limits);

/// The step that makes the outermost loop of a stage parallel, and the fuse before it, if there is
/// one.
struct ParallelMark {
  std::size_t step = 0;
  bool fused = false;
  int loops = 1; // how many it joins
};
std::vector<ParallelMark> parallelMarks(const Steps& steps);
/// How many outer loops can be joined there. Throws IllegalSchedule.
int joinableLoops(const State& parent, const ParallelMark& mark);
/// The steps with so many of them; nothing where later steps cannot follow the change.
std::optional<Steps> withParallelLoops(const Steps& steps, const ParallelMark& mark, int loops);

/// Where the stage of a compute-at may be computed instead or now; empty where its sketch decided
/// that. Throws IllegalSchedule.
std::vector<AttachPoint> attachPoints(const State& parent, std::size_t step,
                                      const SpaceOptions& options);

} // namespace nestwright
