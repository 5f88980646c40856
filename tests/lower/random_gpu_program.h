#pragma once
/// \file Random GPU programs, much wilder than the ones that a search draws.

#include "core/schedule/state.h"
#include "core/support/random.h"

namespace nestwright {

/// A program with tiles, shared fetches, virtual threads and reductions across threads, mostly
/// legal; imperfect splits and odd numbers of threads among them.
State randomGpuProgram(const ComputeDag& dag, Random& random);

} // namespace nestwright
