#pragma once
/// \file The time that an adaptive evaluator saved in a session: runs that it did not make, by what
/// the record tells of those that it made.

#include "core/measure/measure.h"
#include "core/record/store/store.h"
#include "core/support/row_id.h"

#include <cstdint>
#include <functional>
#include <limits>

namespace nestwright {

struct SavedTime {
  double seconds = 0;
  double runs = 0;               // that were not made
  std::int64_t measurements = 0; // that ended early
  RowId last = 0;                // up to this record all were looked at
};

/// Whether a session so measured can save any.
bool savesTime(const MeasureOptions& options);

/// Of one measurement.
struct SavedRuns {
  double runs = 0; // that there would have been time for, and that were not made
  double seconds = 0;
};
/// Runs that were not made × mean time of a run, where the measurement ended because its speeds
/// agreed or it was hopeless. No more runs than the evaluator makes in the time that it has.
SavedRuns savedRuns(const MeasureOptions& options, const MeasureResult& result);

/// That of the session's records behind `before.last`, added to it, up to the record `upTo`.
/// `betweenPages` may throw, to end it.
SavedTime savedTime(const RecordStore& store, RowId session, const MeasureOptions& options,
                    SavedTime before = {}, RowId upTo = std::numeric_limits<RowId>::max(),
                    const std::function<void()>& betweenPages = {});

} // namespace nestwright
