#pragma once
/// \file The records of a file as trials: the columns that curves and searches need, read without
/// the rest of the records.

#include "core/record/rows/trial_row.h"
#include "core/record/store/rows.h"

#include <string>
#include <utility>
#include <vector>

namespace nestwright {

/// Reads only; see record_rows.h for the records themselves.
class TrialRows : public Rows {
 public:
  using Rows::Rows;

  /// Points of the session's curve after `afterTrial`, oldest first, without forgotten records.
  std::vector<CurvePoint> curve(RowId session, std::int64_t afterTrial = 0,
                                int limit = 100000) const;
  /// The records that were each their task's best in their time, oldest first. Reads all of the
  /// task's good records.
  std::vector<CurvePoint> bestHistory(RowId task) const;
  /// Number and wall time (seconds) of the session's last trial, forgotten or not; zeros without
  /// one.
  std::pair<std::int64_t, double> last(RowId session) const;
  /// Programs already measured in the session (their programIds), for duplicates and resume.
  std::vector<std::string> measuredPrograms(RowId session, RowId task) const;
  /// All programs that the session measured for the task. Reads an index entry a record.
  std::vector<ProgramRecord> programRecords(RowId session, RowId task) const;
};

} // namespace nestwright
