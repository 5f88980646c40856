#pragma once
/// \file How far a session's times can be trusted just now: what its newest measurements scatter,
/// how many claims to a best were mere noise, and what of the machine makes both worse (C33).

#include "core/support/row_id.h"
#include "core/target/environment.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nestwright {

class RecordStore;

enum class HealthGrade : std::uint8_t { Unknown, Quiet, Uneasy, Noisy };

struct MeasuringHealth {
  std::int64_t measurements = 0; // that the spread is of: the newest ones that ran
  double spread = 0;             // median of (largest − smallest repeat) / latency
  int settled = 0, refuted = 0;  // claims to a best, of the newest events
  /// Programs that were measured below their task's present best, and not found faster in turns or
  /// never compared with it.
  std::int64_t contested = 0;
  double slowestClock = 0, fastestClock = 0; // Hz, of the measurements; 0 where it is not known
  std::vector<EnvironmentFinding> machine;   // as it is now; empty where it is another one

  HealthGrade grade() const;
};

/// "quiet", "uneasy", "noisy"; "" for Unknown.
const char* name(HealthGrade grade);

/// Of the session's newest measurements. `machine` is left empty.
MeasuringHealth readHealth(const RecordStore& store, RowId session);

} // namespace nestwright
