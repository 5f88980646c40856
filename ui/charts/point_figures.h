#pragma once
/// \file The figures of some points of a chart, in a line: how many, and how their latencies lie.

#include "core/story/tuning_history.h"
#include "ui/document/filtered_records.h"

#include <QString>

#include <vector>

namespace nestwright::ui {

/// "8 with a time: min 1.07 ms, median 1.11 ms, mean 1.42 ms, max 2.24 ms, spread 29.1 %; 2
/// failed": spread is the standard deviation by the mean. `seconds` in any order.
QString pointFigures(std::vector<double> seconds, std::int64_t failed);

/// More trials than this take longer than a frame has; a view that is drawn over and over leaves
/// them to the statistics of the records.
inline constexpr std::size_t kMostFigured = 20'000;
/// Of a task's trials that are listed, or where to find that.
QString pointFigures(const TaskHistory& task, const FilteredRecords& listed);

} // namespace nestwright::ui
