#pragma once
/// \file GPU programs as lowering leaves them, most written by hand, with what they compute.

#include "core/lower/loop_ir.h"
#include "core/target/gpu_facts.h"

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
/// max(A * B, 0) for 32 x 16 and 16 x 32 in tiles of 4 along the reduction, so many of which are in
/// Block memory at once; lowered, not written by hand.
GpuProgram pipelinedProduct(int stages, GpuArchitecture architecture = {9, 0});
/// Rows of 8 x 64: greatest value and sum by shuffles in a warp.
GpuProgram shuffledSoftmax();
/// Two kernels that hand a tensor to one another through the workspace; padding with indices below
/// zero, a table of constants, a guard at the end of the last block.
GpuProgram paddedStencil();
/// One input of each element type, converted, computed with and converted back.
GpuProgram mixedTypes();

} // namespace nestwright::test
