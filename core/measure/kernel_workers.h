#pragma once
/// \file How the workers are started that build and run kernels.

#include "core/measure/measure.h"
#include "core/measure/worker_pool.h"

namespace nestwright {

/// The number, or for 0 that of this machine's cores.
int coresUnless(int number);

/// What a worker for the target is started by.
std::vector<std::string> workerCommandFor(WorkerLaunch launch, const TargetFacts& target);

/// So many of them, whose kernels run on so many threads.
PoolSettings kernelWorkers(const MeasureOptions& options, const std::vector<std::string>& command,
                           int workers, int kernelThreads);

} // namespace nestwright
