#pragma once
/// \file Timing a kernel in micro-batches, as an evaluator says (handbook/cost-models.md 4.2).

#include "core/measure/kernel_runner.h"

#include <functional>

namespace nestwright {

/// Fills in what `timing` says of micro-batches; `run(n)` makes n runs and gives their seconds
/// together. A run at least comes before the first: of a kernel that takes long, micro-batches are
/// shorter, so that a few of them fit into the evaluator's seconds. What `timing` has already was
/// so long that it is the time.
void timeBatches(const TimingOptions& options, const std::function<double(int)>& run,
                 Timing& timing);

} // namespace nestwright
