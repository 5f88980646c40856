#pragma once
/// \file Which stages are products of matrices as tensor instructions compute them
/// (handbook/cuda.md 10.2). Private to this room.

#include "core/schedule/state.h"
#include "core/schedule/tensor_instruction.h"
#include "core/space/sketch.h"

#include <optional>
#include <string>

namespace nestwright {

/// A sum of products, and the axes that an instruction takes tiles of.
struct TensorProduct {
  const TensorInstruction* instruction = nullptr;
  // Spatial axes along the rows and the columns of the instruction's result; a reduction axis.
  int rows = 0, columns = 0, summed = 0;
  std::string reason; // why these
};

/// Of a sum of products of two tensors, one of which changes along an axis that the other does not,
/// and the other way round. Of several axes the last whose extent is a number of tiles. Nothing,
/// and why in `reason`, where there is none.
std::optional<TensorProduct> tensorProduct(const State& state, int stage,
                                           const SpaceOptions& options, std::string& reason);

} // namespace nestwright
