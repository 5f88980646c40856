#pragma once
/// \file A session that a verb runs to its end.

#include "app/cli/pause_on_signal.h"
#include "core/session/run/session.h"

#include <string>

namespace nestwright::cli {

/// Starts it, shows its progress in a line, and waits; Ctrl+C pauses it. Throws SystemError with
/// its reason where it ended because it cannot go on.
SessionStatus runToItsEnd(const std::string& database, RowId session, const WorkerLaunch& launch,
                          PauseOnSignal& signals);

} // namespace nestwright::cli
