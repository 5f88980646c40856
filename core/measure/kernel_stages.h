#pragma once
/// \file What a worker is asked in order to build, load and run the program of a request, and what
/// these stages are called where one goes wrong.

#include "core/measure/measure.h"
#include "core/measure/protocol.h"
#include "core/measure/work_failure.h"

namespace nestwright {

/// The options as they are. Throws InputError where no program could be measured by them.
MeasureOptions checkedOptions(MeasureOptions options);

/// Seconds in which the request's kernel is loaded, and in which it is run.
double runTimeout(const MeasureOptions& options, const MeasureRequest& request);
/// So many seconds, and what else the request's program may take.
WorkLimits limitsFor(const MeasureOptions& options, const MeasureRequest& request, double seconds);

BuildWork buildWorkFor(const MeasureOptions& options, const MeasureRequest& request,
                       const TargetFacts& target);
LoadWork loadWorkFor(const MeasureOptions& options, const MeasureRequest& request,
                     KernelArtifact artifact);

StageWords buildStage(const MeasureOptions& options);
StageWords loadStage(const MeasureOptions& options, const MeasureRequest& request);
StageWords runStage(const MeasureOptions& options, const MeasureRequest& request);

} // namespace nestwright
