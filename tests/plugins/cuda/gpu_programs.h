#pragma once
/// \file GPU programs written by hand, as lowering leaves them, with what they compute.

#include "core/lower/loop_ir.h"

#include <map>
#include <string>
#include <vector>

namespace nestwright::test {

/// Values of each buffer by name; those of a narrow type are exact in it.
using Values = std::map<std::string, std::vector<double>>;

struct GpuProgram {
  LoopFunction function;
  Values inputs;
  Values outputs; // that it gives for them
};

/// C = A * B for 64 x 32 and 32 x 64: tiles through Block memory, 4 x 4 sums in registers, accesses
/// of four neighbours. `sharedRows`: rows of the shared tiles, of which only eight are used; many
/// make Block memory larger than static arrays may be.
GpuProgram tiledProduct(std::int64_t sharedRows = 8);
/// Rows of 8 x 64: greatest value and sum by shuffles in a warp.
GpuProgram shuffledSoftmax();
/// Two kernels that hand a tensor to one another through the workspace; padding with indices below
/// zero, a table of constants, a guard at the end of the last block.
GpuProgram paddedStencil();
/// One input of each element type, converted, computed with and converted back.
GpuProgram mixedTypes();

} // namespace nestwright::test
