#pragma once
/// \file Which program measures: a choice of the person at the machine. It stands on the command
/// line or in the window's settings and goes to the run beside the session's settings. Settings
/// come from files, and nothing that a file says may name a program: so there is no way from JSON
/// to this value.

#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

struct WorkerLaunch {
  /// Program and arguments of a process that speaks the worker's protocol, as `nestwright worker`
  /// does. Empty: that of this machine, beside the running program.
  std::vector<std::string> command;
};

/// From a line such as "ssh host nestwright worker", as commandWords() reads it. An empty line is
/// the default. Throws UsageError when a quote is not closed.
WorkerLaunch workerLaunchFromText(std::string_view line);

/// The same for whole networks, which `nestwright network-worker` measures: the command's last word
/// is that in place of "worker". Throws UsageError for a command that ends otherwise.
WorkerLaunch launchForNetworks(WorkerLaunch launch);

/// The command as it is told to people; empty for the default.
std::string toText(const WorkerLaunch& launch);

} // namespace nestwright
