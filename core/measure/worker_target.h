#pragma once
/// \file The machine that programs are measured on, which need not be this one.

#include "core/measure/measure.h"

#include <string>

namespace nestwright {

/// The target of this name where programs are measured: "cuda" is the GPU of the worker, when a
/// command of the person's starts that; all else is what targetNamed() gives. Throws as that does,
/// DeviceError (Absent) when the worker has no device, and SystemError when it does not start or
/// does not say.
TargetFacts measuredTarget(const std::string& name, const MeasureOptions& options,
                           const WorkerLaunch& launch);

/// The same for those who only look at what a session would find: a worker is asked once for each
/// command and device. A look that failed is repeated.
TargetFacts knownTarget(const std::string& name, const MeasureOptions& options,
                        const WorkerLaunch& launch);

/// `here` with all of a recorded target that programs are compiled by: so they are compiled here as
/// they were there.
TargetFacts compiledAs(const TargetFacts& recorded, TargetFacts here = {});

} // namespace nestwright
