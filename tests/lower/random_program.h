#pragma once
/// \file Random legal programs, wilder than any search would sample: imperfect splits, reductions
/// outside of spatial loops, stages computed anywhere.

#include "core/schedule/state.h"
#include "core/support/random.h"

namespace nestwright {

/// A state after random steps, each of which `State::apply` and bound inference accept.
State randomProgram(const ComputeDag& dag, Random& random);

} // namespace nestwright
