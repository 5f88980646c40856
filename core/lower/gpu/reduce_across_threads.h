#pragma once
/// \file Pass: how the threads of a block combine what each of them reduced.

#include "core/lower/loop_ir.h"

namespace nestwright {

/// Turns every ReduceThreads into shuffles within warps, and between warps into exchanges through
/// Block memory (handbook/cuda.md 3.4). All threads end with the same result; one of them stores it
/// where others can see it.
Stmt reduceAcrossThreads(const Stmt& s);

} // namespace nestwright
