#pragma once
/// \file Which program is a session's search policy: a choice of the person at the machine. It
/// stands on the command line or in the window's settings and goes to the run beside the session's
/// settings, which have its name alone (exec_policy_name.h): nothing that a file says may name a
/// program, so there is no way from JSON to this value.

#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

struct PolicyLaunch {
  /// Program and arguments of a process that speaks the protocol of policies
  /// (handbook/policies.md). Empty: nobody said.
  std::vector<std::string> command;
  /// That it may take for an answer.
  double answerSeconds = 120;
};

/// From "exec:python3 my_policy.py", as commandWords() reads what is behind "exec:". Throws
/// UsageError when there is no command, or it has a quote that is not closed.
PolicyLaunch policyLaunchFromText(std::string_view policy);

} // namespace nestwright
