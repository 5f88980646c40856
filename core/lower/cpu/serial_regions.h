#pragma once
/// \file Pass: tiny parallel loops stay serial.

#include "core/lower/loop_ir.h"
#include "core/lower/lower.h"

namespace nestwright {

/// Makes parallel loops of the function serial whose whole work (options.minParallelWork says in
/// what) is less than what waking the other threads costs. Work is also what moves: each element
/// of a parameter counts once as what bringing it takes, however often it is read, so that a copy,
/// which computes nothing, is parallel where a cache of one core is too small for it. Decided here
/// rather than by annotation, so that the search space stays the paper's and a program need not be
/// lucky in every stage.
Stmt serialiseSmallRegions(const LoopFunction& function, const LowerOptions& options);

} // namespace nestwright
