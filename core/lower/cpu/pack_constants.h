#pragma once
/// \file Pass: constant inputs stored in the order in which the program reads them.

#include "core/lower/loop_ir.h"
#include "core/tensor/compute_dag.h"

namespace nestwright {

/// Gives each input that an operator of the DAG calls layout-free the layout of `readOrder`
/// (handbook/ansor.md 11.4): whoever fills the function's inputs packs them so, once. An input
/// keeps its layout when that would make any access of it dearer.
void packConstants(LoopFunction& function, const ComputeDag& dag);

/// The same for the second of the two factors that an operator sums products of, if it is an input:
/// what the public operators call layout-free, constant or not.
void packSecondOperands(LoopFunction& function, const ComputeDag& dag);

} // namespace nestwright
