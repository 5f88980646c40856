#pragma once
/// \file When a session has nothing more to gain (SessionConfig::stopGain): by the forecast of what
/// further trials are worth (core/session/schedule/budget_advice.h).

#include "core/session/run/tuning/run_log.h"
#include "core/session/run/tuning/task_book.h"

#include <cstdint>
#include <optional>

namespace nestwright {

/// How much lower the weighted total is expected to be after as many trials as the session had, or
/// those that `left` has where they are fewer: a share. By the session's own records, whoever
/// measured the tasks before, and only of tasks that get any: not of paused ones, nor of others
/// than the pinned. Nothing while one of them had fewer than two rounds, or where nothing can be
/// told. Reads all points of the session's curve.
std::optional<double> expectedGain(const RunLog& log, const TaskBook& tasks, std::int64_t left);

/// Whether it is worth asking after this round: often in the beginning, then about twenty times
/// while the number of rounds doubles.
bool asksAfter(int round);

} // namespace nestwright
