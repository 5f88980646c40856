#pragma once
/// \file Pass: what a GPU cannot run is refused.

#include "core/lower/loop_ir.h"
#include "core/target/gpu_facts.h"

namespace nestwright {

/// Bytes of Block memory that a kernel allocates, each buffer rounded up to 16.
std::int64_t blockMemoryBytes(const Stmt& launch);

/// Throws IllegalSchedule, naming the kernel and the limit, when there are too many threads, blocks
/// or statements, or too much Block memory.
void verifyKernels(const Stmt& s, const GpuFacts& gpu);

} // namespace nestwright
