#include "core/session/run/how_measured.h"

#include <fmt/ranges.h>

#include <vector>

namespace nestwright {

std::string howMeasured(const std::string& howMuch, const WorkerLaunch& launch,
                        const PolicyLaunch& policy) {
  std::vector<std::string> parts;
  if (!howMuch.empty()) parts.push_back(howMuch);
  if (!launch.command.empty())
    parts.push_back(fmt::format("programs are measured by: {}", toText(launch)));
  if (!policy.command.empty())
    parts.push_back(fmt::format("programs are proposed by: {}", fmt::join(policy.command, " ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

} // namespace nestwright
