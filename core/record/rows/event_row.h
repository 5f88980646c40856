#pragma once
/// \file An event of a session, as it is stored.

#include "core/support/row_id.h"

#include <cstdint>
#include <string>

namespace nestwright {

/// An event as stored: JSON of one of the structs in core/session/run/events.h.
struct EventRow {
  RowId id = 0;
  RowId session = 0;
  std::int64_t at = 0; // microseconds since the epoch
  std::string kind;
  std::string json;
  /// Where in the session it was told: after how many trials, and when on the session's own clock,
  /// pauses excluded. Negative when the session did not run then.
  std::int64_t trials = -1;
  double wallSeconds = -1;
};

} // namespace nestwright
