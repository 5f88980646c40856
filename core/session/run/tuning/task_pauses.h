#pragma once
/// \file Tasks that pause themselves (stop_rule.h), and go on when the user frees them or nothing
/// else is left to do.

#include "core/session/run/tuning/task_book.h"

#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// Pauses the task when the stop rule says so of the session's newest trials of it.
std::optional<TaskModeChanged> pauseIfFailing(const RunLog& log, TaskBook& tasks,
                                              const TunedTask& task, const SessionConfig& config);

/// Whatever made the task pause itself counts no more: what failed until now, `trials` of the
/// session, does not pause it again.
void forgetPause(TaskMemory& memory, std::int64_t trials);

/// Frees the tasks that paused themselves when the user starts a session that can do nothing but go
/// on with them. In any other it would not decide as one that was never interrupted (C25).
std::vector<Event> freePausedThemselves(RunLog& log, TaskBook& tasks);

/// Why the session pauses when no task may go on.
std::string pausedText(const RunLog& log);

} // namespace nestwright
