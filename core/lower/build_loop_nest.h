#pragma once
/// \file First pass: the stages of a program as one tree of statements, every stage at its place.

#include "core/lower/enclosing_loops.h"
#include "core/lower/loop_ir.h"
#include "core/schedule/bounds.h"

namespace nestwright {

/// Stages nested at their attach points, axes replaced by what the loops give, inlined stages
/// substituted. A reduction is a store of the neutral element before its outermost reduction loop
/// and an update inside. Iterations outside of a stage's region or domain are guarded by If. Throws
/// IllegalSchedule on a race, on nested parallel loops, and when a stage is read where it does not
/// exist.
///
/// For a GPU every stage at root is a Launch, still without blocks and threads: these are loops
/// inside it. Where a thread loop iterates a reduction, every thread reduces its share into memory
/// of its own, and a ReduceThreads combines the shares.
LoopFunction buildLoopNest(const State& state, const Bounds& bounds,
                           Machine machine = Machine::Cpu);

} // namespace nestwright
