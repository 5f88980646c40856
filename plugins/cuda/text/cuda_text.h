#pragma once
/// \file A GPU program as CUDA C: one kernel a launch. A pure function of the loop IR, so that
/// texts can be compared, hashed and cached.

#include "core/backend/kernel_artifact.h"
#include "core/lower/loop_ir.h"

#include <string>
#include <vector>

namespace nestwright::cuda {

struct CudaText {
  std::string source;                 // with the preamble
  std::vector<KernelLaunch> launches; // in their order; resources are not known yet
  std::int64_t workspaceBytes = 0;    // for what the kernels hand to one another
};

/// `marks`: lines of print(function), counted from 1, as #line directives before what came from
/// them. Throws Error for what CUDA C cannot say, IllegalSchedule for a kernel that no compiler
/// would finish with, and InputError for a function that is no GPU program.
CudaText cudaText(const LoopFunction& function, bool marks = false);

} // namespace nestwright::cuda
