#pragma once
/// \file Counting what the processor does in a program, on request: built, loaded and run in a
/// worker of its own, as a measurement is.

#include "core/measure/measure.h"
#include "core/result/program_counts.h"

#include <atomic>

namespace nestwright {

/// Of the program of the request (its DAG, steps and `naive`; the rest does not count), for the
/// processor that `target` describes as Measurer takes it. Throws InputError where nothing can be
/// measured by the options, where the program does not run, with the verdict and its reason, and
/// within a second of `stop` ("cancelled"); UsageError where the program is for a GPU.
ProgramCounts countProgram(const MeasureOptions& options, const MeasureRequest& request,
                           const WorkerLaunch& launch, const TargetFacts& target = {},
                           const std::atomic<bool>* stop = nullptr);

} // namespace nestwright
