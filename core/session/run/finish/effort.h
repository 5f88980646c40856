#pragma once
/// \file How much a session does before it ends, as a person says it: a few settings at once
/// (handbook/ansor.md 4.11).

#include "core/session/run/session.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

enum class Effort : std::uint8_t {
  Quick,   // what is remembered and drafted, polished: seconds for each task
  Normal,  // the budget's trials, or fewer where nothing is left to gain
  Thorough // many trials for each task, and a long polish
};
/// "quick", "normal", "thorough".
const char* name(Effort effort);
/// Throws UsageError that lists them.
Effort effortNamed(std::string_view text);
std::vector<std::string> effortNames();
/// What it does, in a sentence for lists.
const char* purpose(Effort effort);

/// The settings with those of the effort, whichever they had before: policy, draft, polish, when it
/// stops, the size of a round, how long a program is timed and, but for the normal one, the trials. `tasks`: of the session.
SessionConfig withEffort(SessionConfig config, Effort effort, std::size_t tasks);

/// The tasks of all subjects, each once. Throws what resolveSubjects() does.
std::size_t countSessionTasks(const SessionConfig& config);

/// Throws UsageError where the polish takes more trials than there are.
void checkPolish(const SessionConfig& config);
/// Of a session whose tasks are counted; 0: they are not, and all but their number is checked.
void checkPolish(const SessionConfig& config, std::size_t tasks);

} // namespace nestwright
