#pragma once
/// \file Pass: which stores of a GPU program move several neighbouring elements at once.

#include "core/lower/loop_ir.h"
#include "core/target/gpu_facts.h"

namespace nestwright {

/// Loops annotated `vectorize`, and loops around stores to neighbouring elements of Global memory,
/// become one access each where it is at most as wide as the GPU's widest, its alignment is proven
/// and no condition tells its elements apart; what is wider becomes several. Other annotated loops
/// become serial. Asynchronous copies of less than 4 bytes, which no GPU makes, become stores.
Stmt vectorizeCopies(const Stmt& s, const GpuFacts& gpu);

} // namespace nestwright
