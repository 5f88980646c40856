#pragma once
/// \file A session's story as JSON, for the command line. Times are in seconds, null where there is
/// none; tasks, records and sessions are the file's ids.

#include "core/session/crossing/ancestry.h"
#include "core/story/allocation.h"
#include "core/story/predictions.h"

#include <nlohmann/json_fwd.hpp>

namespace nestwright {

/// The improvements of every task, and of the weighted total.
nlohmann::json toJson(const TuningHistory& history);
/// For each band its task (null: all others together) and how many trials it had been given at each
/// of the points.
nlohmann::json toJson(const Allocation& allocation);
nlohmann::json toJson(const PredictedProgram& program);
nlohmann::json toJson(const Ancestor& ancestor);

} // namespace nestwright
