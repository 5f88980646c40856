#pragma once
/// \file Programs of others: finding them and running them to their end.

#include <string>
#include <vector>

namespace nestwright {

/// Where the shell would find a program; empty when it would not. A name with a slash is a path.
std::string findProgram(const std::string& name);

struct CommandResult {
  int exitCode = 0;   // 128 + its number when a signal ended it
  std::string output; // both streams as they came, the first 64 KiB
};

/// Runs the program with its arguments in the folder, without a shell and without input. Throws
/// SystemError when it cannot be started.
CommandResult runCommand(const std::vector<std::string>& command, const std::string& folder);

} // namespace nestwright
