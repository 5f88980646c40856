#pragma once
/// \file What curves and searches need of a record, without the rest of it.

#include "core/result/measure_result.h"
#include "core/support/row_id.h"

#include <cstdint>
#include <string>

namespace nestwright {

/// One point of a tuning curve.
struct CurvePoint {
  std::int64_t trial = 0; // within the session
  double wallSeconds = 0; // since the session's start, pauses excluded
  double seconds = 0;     // median; infinity for an error
  RowId task = 0, record = 0;
  bool verifiedBest = false; // it became the task's best
  Verdict verdict = Verdict::Ok;
  bool onDemand = false;
  bool doubtful = false; // contested, or faster than can be: no best, whatever its time
};

/// The record of a program.
struct ProgramRecord {
  RowId record = 0;
  std::string program;
};

} // namespace nestwright
