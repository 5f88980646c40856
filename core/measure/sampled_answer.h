#pragma once
/// \file Comparing what a program has computed with the definition, in a sample of its elements:
/// for answers that nobody else has computed whole (handbook/cuda.md 7.3).

#include "core/measure/elements.h"
#include "core/tensor/compute_dag.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

/// Computes up to 1000 elements of each output from the definition, in double precision, and says
/// which one differs; empty when none does. `inputs` and `outputs` are as in memory, in the DAG's
/// order. The sample is always the same. Fewer elements are taken where each takes very long.
std::string sampleError(const ComputeDag& dag, const std::vector<std::vector<std::uint8_t>>& inputs,
                        const std::vector<std::vector<std::uint8_t>>& outputs,
                        const Tolerance& tolerance);

} // namespace nestwright
