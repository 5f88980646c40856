#pragma once
/// \file The time that an adaptive evaluator saved in a session: runs that it did not make, by what
/// the record tells of those that it made.

#include "core/measure/measure.h"
#include "core/record/store/store.h"
#include "core/support/row_id.h"

#include <cstdint>
#include <limits>

namespace nestwright {

struct SavedTime {
  double seconds = 0;
  std::int64_t runs = 0;         // that were not made
  std::int64_t measurements = 0; // that ended early
  RowId last = 0;                // up to this record all were looked at
};

/// Whether a session so measured can save any.
bool savesTime(const MeasureOptions& options);

/// Of one measurement: (runs − runs made) × mean time of a run, where it ended because its speeds
/// agreed or it was hopeless; no more than a measurement may take. Seconds.
double secondsSaved(const MeasureOptions& options, const MeasureResult& result);

/// That of the session's records behind `before.last`, added to it, up to the record `upTo`.
SavedTime savedTime(const RecordStore& store, RowId session, const MeasureOptions& options,
                    SavedTime before = {}, RowId upTo = std::numeric_limits<RowId>::max());

} // namespace nestwright
