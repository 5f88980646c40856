#pragma once
/// \file What a result keeps of the code that was built for it.

#include "core/backend/kernel_artifact.h"
#include "core/result/measured_kernel.h"

#include <vector>

namespace nestwright {

/// Of each launch of a GPU, in their order; none of code that the host calls.
std::vector<MeasuredKernel> measuredKernels(const KernelArtifact& artifact);

} // namespace nestwright
