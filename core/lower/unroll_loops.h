#pragma once
/// \file Pass: which loops a backend replicates.

#include "core/lower/loop_ir.h"

namespace nestwright {

/// Marks serial loops as unrolled where the auto_unroll_max_step pragma asks for it
/// (handbook/ansor.md 3.6), and makes loops annotated `unroll` serial where the replicated
/// statements would exceed any instruction cache.
Stmt unrollLoops(const Stmt& s);

} // namespace nestwright
