#pragma once
/// \file The micro-batches of a measurement: which of its times they are, and which of them count.

#include "core/result/measure_result.h"

#include <cstdint>
#include <span>
#include <vector>

namespace nestwright {

/// Those of a result with an evaluation, seconds of a run each, without the repeats that came
/// behind them.
std::span<const double> microBatches(const MeasureResult& result);

/// Which of them the time is of, that evaluatedSeconds() makes.
std::vector<bool> countedBatches(SpeedEstimate speed, std::span<const double> times);

/// Runs that were timed: of micro-batches where there are some, else of repeats.
std::int64_t timedRuns(const MeasureResult& result);

} // namespace nestwright
