#pragma once
/// \file Pass: tiny parallel loops stay serial.

#include "core/lower/loop_ir.h"
#include "core/lower/lower.h"

namespace nestwright {

/// Makes parallel loops serial whose whole work (options.minParallelWork says in what) is less than
/// what waking the other threads costs. Decided here rather than by annotation, so that the search
/// space stays the paper's and a program need not be lucky in every stage.
Stmt serialiseSmallRegions(const Stmt& s, const LowerOptions& options);

} // namespace nestwright
