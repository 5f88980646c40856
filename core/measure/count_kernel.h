#pragma once
/// \file Counting a kernel in its worker: the processor's counters and its energy meter.

#include "core/measure/kernel_runner.h"
#include "core/result/program_counts.h"

#include <filesystem>

namespace nestwright {

/// Of the kernel that the runner has loaded, run on so many threads of this machine's processor for
/// at least so many seconds. The energy meter is looked for below `root`. Throws what the kernel
/// throws.
ProgramCounts countKernel(KernelRunner& runner, double seconds, int threads,
                          const std::filesystem::path& root = "/");

} // namespace nestwright
