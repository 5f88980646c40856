#pragma once
/// \file Programs of a file that a session begins with (SessionConfig::seeds): of each task they
/// are measured before anything but its naive program. They are read and checked when the session
/// is made, and its own state keeps those that are not measured yet.

#include "core/session/run/session.h"
#include "core/session/run/subject.h"
#include "core/target/target.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace nestwright {

/// A seed that the session cannot take.
struct UnusableSeed {
  std::string task, program; // its name, and the programId
  std::string why;           // a clause: "its task is not one of the session's"
};

struct SessionSeeds {
  /// By workload key, in the order of the file, each program once; with the reason that the file
  /// gives.
  std::map<std::string, std::vector<NamedProgram>> programs;
  std::vector<UnusableSeed> unusable;
  std::size_t count() const; // of those that are taken
  /// Why no session can begin with them; empty where one can: at least one is taken.
  std::string problem() const;
};

/// Of the file that the settings name; none where they name none. Whether a program is legal is
/// asked of this target, and of no times. Throws InputError for a file that cannot be read.
SessionSeeds sessionSeeds(const SessionConfig& config, const std::vector<Subject>& subjects,
                          const TargetFacts& target);

/// The seeds that were left out in lines for people, one for each task and reason.
std::vector<std::string> unusableText(const SessionSeeds& seeds);

} // namespace nestwright
