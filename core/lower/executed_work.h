#pragma once
/// \file What a lowered program executes, which is not what its definition says: padding is left
/// out, and what is inlined or attached may be computed again.

#include "core/lower/loop_ir.h"

namespace nestwright {

/// Operations on elements as flops() counts them, those of all lanes; not those of indices and
/// conditions.
struct ExecutedWork {
  double operations = 0;
  double multiplications = 0; // among them
};

/// The work of one run of a program for a CPU, counted through its loops: each condition for each
/// iteration of the loops that decide it. Nothing when a condition depends on what is computed,
/// when there are too many cases to look at, or when the program is one for a GPU.
std::optional<ExecutedWork> executedWork(const LoopFunction& function);

/// Operations that no program for a CPU can do without: flops(), less what padding may leave out.
double leastOperations(const ComputeDag& dag);

} // namespace nestwright
