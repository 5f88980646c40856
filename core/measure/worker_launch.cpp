#include "core/measure/worker_launch.h"

#include "core/support/command_words.h"

#include <fmt/ranges.h>

namespace nestwright {

WorkerLaunch workerLaunchFromText(std::string_view line) {
  return {commandWords(line, "worker")};
}

std::string toText(const WorkerLaunch& launch) {
  return fmt::format("{}", fmt::join(launch.command, " "));
}

} // namespace nestwright
