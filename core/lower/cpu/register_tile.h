#pragma once
/// \file How to keep the accumulators of a reduction in vector registers: which loop becomes lanes,
/// and how many iterations of the others are done at once.

#include "core/lower/cpu/reduction_nest.h"
#include "core/lower/lower.h"

namespace nestwright {

enum class LaneMode : std::uint8_t {
  None,      // scalar accumulators
  Spatial,   // neighbouring elements of the result side by side
  Reduction, // partial results side by side, of up to four registers, combined at the end
};

struct RegisterTile {
  LaneMode mode = LaneMode::None;
  int lanes = 1;
  std::size_t laneLoop = 0;        // into the nest's spatial or reduction loops
  std::vector<std::int64_t> sizes; // per spatial loop: iterations done at once
  int dot = 1;                     // iterations of a reduction loop that instructions add at once
  std::size_t dotLoop = 0;         // into the reduction loops, where there are such
  double cycles = 0;               // estimated, per iteration of the nest
  double footprintBytes = 0;       // what one tile reads over all its reduction loops
};

/// The tile with the least estimated time. The model counts, per reduction step, the slowest of:
/// multiply-adds (two a cycle), loads (two a cycle), and the latency of a multiply-add (four
/// cycles) between two uses of an accumulator; and per tile, moving it between memory and
/// registers. Tiles that do not fit into the registers are not considered; where a compiler writes
/// all steps out, what several results under a sliding window read has to fit, too. Where one
/// instruction, or several for widened bytes, add products in each lane (core/lower/dot_product.h),
/// these are one step.
RegisterTile chooseRegisterTile(const ReductionNest& nest, IndexSimplifier& simplify,
                                const LowerOptions& options);

} // namespace nestwright
