#pragma once
/// \file What each kernel of a compilation takes.

#include "core/backend/kernel_artifact.h"
#include "plugins/cuda/compile/nvrtc.h"

#include <map>
#include <string>

namespace nestwright::cuda {

/// By the kernel's name; the occupancy is left to whoever knows the launch. The compiler's log and
/// the cubin are compared: Error when they disagree, or when neither says anything.
std::map<std::string, KernelResources> kernelResources(const Compiled& compiled);

} // namespace nestwright::cuda
