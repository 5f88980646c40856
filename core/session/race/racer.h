#pragma once
/// \file What races: a search policy, or a paper's method, with settings of its own.

#include "core/search/exec/policy_launch.h"
#include "core/session/run/session.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nestwright {

/// "evolutionary", "evolutionary,draft=first,polish=20", "ansor", "exec:python3 my_policy.py".
struct Racer {
  std::string label;  // as tables have it: "evolutionary, draft=first"
  std::string policy; // a policy's name, or a method's (search_method.h)
  std::vector<std::pair<std::string, std::string>> settings; // in the order of the text
  PolicyLaunch launch; // of a policy that is a program of the person's
};

/// A comma parts settings, and what has no "=" belongs to the value before it: "features=paper,
/// lowered". All of "exec:..." is the program. Throws UsageError for an empty name.
Racer racerFromText(std::string_view text);

/// The settings that a racer may have, as people write them: "draft", "trials-per-round".
std::vector<std::string> racerSettings();

/// The settings of a session of the racer, made of what all racers have in common. Throws
/// UsageError for a policy or setting that there is not, and for a value that is none of the
/// setting's.
SessionConfig configOf(const Racer& racer, const SessionConfig& common);

} // namespace nestwright
