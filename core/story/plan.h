#pragma once
/// \file The plan of a session, and commands as the window sends them: what a command would change,
/// what takes it back, and which commands lead from one plan to another.

#include "core/story/live_session.h"

#include <optional>
#include <vector>

namespace nestwright {

/// What a session is after and how it searches, as far as that can be changed on the way.
struct Plan {
  std::int64_t trials = 0; // budgets
  double maxSeconds = 0;   // 0: none
  SearchOptions search;
  Objective objective;
  friend bool operator==(const Plan&, const Plan&) = default;
};
Plan planOf(const SessionConfig& config);
/// The plan with what the command changes of it; nothing for one that is about something else.
std::optional<Plan> planWith(const SessionConfig& config, const Command& command);
/// The session's plan, with time to decide that it ends after so many seconds on its own clock: the
/// trials last for that, also when it gets quicker.
Plan planUntil(const LiveSession& session, double wallSeconds);
/// What makes one plan of the other, in an order in which every command can be obeyed.
std::vector<Command> commandsBetween(const Plan& before, const Plan& after);

/// Whether the search of the task starts from this record's program.
bool isSeed(const LiveSession& session, RowId task, RowId record);
/// Whether the command would change something of this session. Starting, pausing and stopping are
/// not asked here: that depends on more than the session.
bool changesSomething(const LiveSession& session, const Command& command);
/// What takes the command back; nothing for one that cannot be, such as a measurement. The command
/// changes something.
std::optional<Command> opposite(const LiveSession& session, const Command& command);
/// The command as it can be now: trials that were made cannot be taken back.
Command possible(const LiveSession& session, const Command& command);

} // namespace nestwright
