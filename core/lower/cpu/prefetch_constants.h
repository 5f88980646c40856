#pragma once
/// \file Pass: parts of constants are fetched before their turn.

#include "core/lower/loop_ir.h"
#include "core/tensor/compute_dag.h"

namespace nestwright {

/// A tile of results reads a part of a layout-free input, the next tile the same part, and so on,
/// until all go on to the next part, which a network's other layers have pushed out of the caches.
/// Each step of such tiles gets a hint for its share of the next part, so that memory is busy all
/// the time, and not only while a part is read for the first time (handbook/ansor.md 11.4). Only of
/// inputs that are packed or read in the given order, of parts that a second-level cache has room
/// for beside the one that is read.
Stmt prefetchConstants(const LoopFunction& function, const ComputeDag& dag);

} // namespace nestwright
