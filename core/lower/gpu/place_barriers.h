#pragma once
/// \file Pass: where the threads of a block wait for one another.

#include "core/lower/loop_ir.h"

namespace nestwright {

/// Puts a barrier between two statements of which one writes to Block memory what another thread
/// reads or writes in the other one: before the later statement, or at the start of the loop that
/// repeats both (handbook/cuda.md 3.5). Throws IllegalSchedule where that would be inside of a
/// condition.
Stmt placeBarriers(const Stmt& s);

} // namespace nestwright
