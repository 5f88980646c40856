#pragma once
/// \file One measured (or failed) program.

#include "core/result/measure_result.h"
#include "core/schedule/step.h"
#include "core/support/row_id.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

/// One measured (or failed) program.
struct Record {
  RowId id = 0;
  RowId session = 0, task = 0;
  std::int64_t trial = 0; // 1-based, within the session
  std::string program;    // programId
  Steps steps;
  MeasureResult result;     // `result.id` belongs to the request and is not kept
  double wallSeconds = 0;   // when it ended: since the session's start, pauses excluded
  bool verified = false;    // agreed with the naive program
  bool implausible = false; // below the physical floor (C10)
  bool best = false;        // became the task's verified best; decided by the store
  bool contested = false; // claims to be the best, within noise: not eligible until confirmed (C31)
  std::string trace;      // JSON of how the candidate came to be
  bool onDemand = false; // measured because the user asked for it, outside the rounds of the search
  RowId original = 0;    // of a repeated measurement on demand: the record that it repeats
  bool forgotten = false;        // by the user: no longer a result; see setForgotten
  std::vector<std::string> tags; // by the user, sorted
  bool imported = false;         // from a log: `program` is computed from the steps, not stored
};

} // namespace nestwright
