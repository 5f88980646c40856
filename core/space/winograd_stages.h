#pragma once
/// \file The stages of a Winograd convolution (core/network/graph/winograd.h), told by what they
/// are: transforms without a sum, which list the axes of their tiles as `simplifyConstIndices`,
/// around a product.

#include "core/schedule/state.h"

#include <optional>
#include <vector>

namespace nestwright {

/// Stages by number in the state's current DAG.
struct WinogradStages {
  int product = -1;
  int inverseColumns = -1, inverse = -1; // of the results
  std::vector<int> inlined;              // between the tiles of results and the last stage
  int result = -1;                       // the last stage, which stores them
  std::int64_t side = 0;                 // results on a side of a tile
};

/// Nothing where the state is of no such task, or steps have added stages to it.
std::optional<WinogradStages> winogradStages(const State& state);

/// The first half of the transform of which this stage is the second, if no other stage reads it.
std::optional<int> firstHalfOf(const State& state, int stage);

} // namespace nestwright
