#pragma once
/// \file Programs of one task for another of the same kind (kindHash): the same steps, with tile
/// sizes moved to the nearest that the other extents allow (handbook/ansor.md 4.8).

#include "core/schedule/state.h"
#include "core/space/sketch.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// A split whose loop has another extent now.
struct RefittedSplit {
  std::size_t step = 0;
  std::string loop, stage;                   // names, "k" of "C"
  std::int64_t oldExtent = 0, newExtent = 0; // 0 where unknown
  std::vector<std::int64_t> oldFactors, newFactors;
};
/// "j of C, 64 to 56: 4 · 2 · 8 becomes 4 · 2 · 7".
std::string text(const RefittedSplit& split);

struct RefitResult {
  std::optional<State> program; // legal for the options' target, with known ranges
  std::vector<RefittedSplit> splits;
  std::string problem; // why there is none, in a clause
};

/// The program of the steps for this task. Each split whose loop has another extent gets the
/// factors nearestFactors() gives; everything else stays as it is. Pure and deterministic.
RefitResult refit(const ComputeDag& task, const Steps& steps, const SpaceOptions& options);

/// The factors, as many as `wanted` and their product a divisor of the extent, that are nearest to
/// those wanted: the least product of the ratios, each at least 1, of a factor to the one in its
/// place. What remains of the extent is the loop behind or around them and does not count, so that
/// a longer loop has the same tiles. No factor is above its place in `limits`. Of equally near ones
/// the last factor is the larger, then the one before it. Empty where the limits allow none.
std::vector<std::int64_t> nearestFactors(std::int64_t extent,
                                         const std::vector<std::int64_t>& wanted,
                                         const std::vector<std::int64_t>& limits);

} // namespace nestwright
