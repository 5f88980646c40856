#pragma once
/// \file What a session came to, for a script and for people.

#include "core/session/run/events.h"

#include <nlohmann/json_fwd.hpp>

namespace nestwright {

class RecordStore;

namespace cli {

/// `last` is what the session said of its progress at its end.
nlohmann::json resultJson(const RecordStore& store, RowId session, const Progress& last);

/// A line for each task, and the totals.
void printSummary(const RecordStore& store, RowId session, const Progress& last);

/// Names tasks that paused themselves, or have no template. Throws SystemError where some could not
/// be tuned: a script must notice, whatever else was.
void reportUntuned(const RecordStore& store, RowId session);

} // namespace cli
} // namespace nestwright
