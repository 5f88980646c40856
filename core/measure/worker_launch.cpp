#include "core/measure/worker_launch.h"

#include "core/support/command_words.h"
#include "core/support/error.h"

#include <fmt/ranges.h>

namespace nestwright {

WorkerLaunch workerLaunchFromText(std::string_view line) {
  return {commandWords(line, "worker")};
}

WorkerLaunch launchForNetworks(WorkerLaunch launch) {
  if (launch.command.empty()) return launch;
  if (launch.command.back() != "worker")
    throw UsageError(fmt::format("whole networks are measured by `nestwright network-worker`, and "
                                 "\"{}\" does not end with \"worker\", in place of which that "
                                 "would be started: give a command such as \"ssh HOST nestwright "
                                 "worker\"",
                                 toText(launch)));
  launch.command.back() = "network-worker";
  return launch;
}

std::string toText(const WorkerLaunch& launch) {
  return fmt::format("{}", fmt::join(launch.command, " "));
}

} // namespace nestwright
